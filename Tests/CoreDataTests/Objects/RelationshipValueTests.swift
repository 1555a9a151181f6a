import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What `setValue(_:forKey:)` takes for a relationship, and what key-value access knows beside the
/// model's properties.
@Suite struct RelationshipValueTests {
    /// Runs a body with a context over a department and two people.
    private func withPeople(
        _ body: (NSManagedObjectContext, NSManagedObject, [NSManagedObject]) throws -> Void
    ) throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext()
        try context.onQueue {
            func make(_ entity: String, _ name: String) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: entity,
                    into: context
                )
                object.setValue(name, forKey: "name")
                return object
            }
            try body(context, make("Department", "D"), ["a", "b"].map { make("Person", $0) })
        }
        withExtendedLifetime(stack) {}
    }

    /// A kind of collection that a client may have its objects in.
    struct Form: Sendable, CustomStringConvertible {
        let description: String
        let make: @Sendable ([NSObject]) -> Any
    }
    private static let forms = [
        Form(description: "NSSet") { NSSet(array: $0) },
        Form(description: "NSMutableSet") { NSMutableSet(array: $0) },
        Form(description: "NSOrderedSet") { NSOrderedSet(array: $0) },
        Form(description: "NSArray") { NSArray(array: $0) },
        Form(description: "Set") { Set<AnyHashable>($0) },
        Form(description: "Array") { $0.map { $0 as Any } },
    ]

    @Test(arguments: forms)
    func aToManyRelationshipTakesAnyCollectionAndLeavesOutNulls(form: Form) throws {
        try withPeople { _, department, people throws in
            department.setValue(form.make(people), forKey: "people")
            #expect(department.value(forKey: "people") as? Set<NSManagedObject> == Set(people))
            department.setValue(form.make([people[1], NSNull()]), forKey: "people")
            #expect(department.value(forKey: "people") as? Set<NSManagedObject> == [people[1]])
            #expect(people[0].value(forKey: "department") == nil)
        }
    }

    /// The view has no elements of its own, and what it shows is what counts.
    @Test func aViewOfARelationshipIsAValueForAnother() throws {
        try withPeople { context, department, people throws in
            department.setValue(NSSet(array: people), forKey: "people")
            let other = NSEntityDescription.insertNewObject(
                forEntityName: "Department",
                into: context
            )
            other.setValue(department.mutableSetValue(forKey: "people"), forKey: "people")
            #expect(other.value(forKey: "people") as? Set<NSManagedObject> == Set(people))
            #expect((department.value(forKey: "people") as? NSSet)?.count == 0)
        }
    }

    @Test func aViewOfAnOrderedRelationshipIsAValueAsItIsNow() throws {
        try withPeople { context, _, _ throws in
            func insert(_ entity: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            }
            let list = insert("Playlist"), other = insert("Playlist")
            let songs = (0..<3).map { _ in insert("Song") }
            let view = list.mutableOrderedSetValue(forKey: "songs")
            for song in songs { song.setValue(list, forKey: "playlist") }
            other.setValue(view, forKey: "songs")
            let held = (other.value(forKey: "songs") as? NSOrderedSet)?.array as? [NSManagedObject]
            #expect(held == songs && view.count == 0)
        }
    }

    @Test func objectsHaveAnIdentifierAndThemselvesAsValues() throws {
        try withPeople { _, department, people throws in
            people[0].setValue(department, forKey: "department")
            let id = department.value(forKey: "objectID") as? NSManagedObjectID
            #expect(id == department.objectID)
            #expect(department.value(forKey: "self") as AnyObject === department)
            #expect(people[0].value(forKeyPath: "department.self") as AnyObject === department)
            #expect(
                NSPredicate(format: "department.self == %@", department).evaluate(with: people[0])
            )
            let isOfID = NSPredicate(format: "department.objectID == %@", department.objectID)
            #expect(isOfID.evaluate(with: people[0]))
            #expect(!isOfID.evaluate(with: people[1]))
        }
    }

    @Test func predicatesReadTransientValuesInMemory() throws {
        try withPeople { _, _, people throws in
            people[0].setValue("Al", forKey: "nickname")
            let predicate = NSPredicate(format: "nickname == 'Al'")
            #expect(people.filter(predicate.evaluate) == [people[0]])
        }
    }

    /// A class that knows values for keys that its entity lacks.
    private final class Generous: NSManagedObject {
        var kept: [String: Any] = [:]

        override func value(forUndefinedKey key: String) -> Any? { kept[key] ?? "no \(key)" }
        override func setValue(_ value: Any?, forUndefinedKey key: String) { kept[key] = value }
    }

    @Test func aClassMayKnowKeysThatItsEntityLacks() throws {
        let model = SampleModel.make()
        model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(Generous.self)
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        context.onQueue {
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            #expect(tag.value(forKey: "shape") as? String == "no shape")
            tag.setValue("round", forKey: "shape")
            #expect(tag.value(forKey: "shape") as? String == "round")
            #expect(tag.value(forKey: "label") == nil)
        }
        withExtendedLifetime(stack) {}
    }

    @Test func predicatesTakeKeysAsSubscripts() throws {
        try withPeople { _, department, people in
            people[0].setValue(department, forKey: "department")
            for format in ["department['name'] == 'D'", "department['nothing'] == nil"] {
                #expect(NSPredicate(format: format).evaluate(with: people[0]), "\(format)")
            }
        }
    }
}
