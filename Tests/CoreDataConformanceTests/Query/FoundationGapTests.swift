import CoreData
import Foundation
import TestSupport
import Testing

/// What Foundation has on Apple's platforms, and Core Data code uses.
@Suite struct FoundationGapTests {
    @Test func arrayLiteralsMakeSets() {
        let one = NSNumber(value: 1), set: NSSet = [one, one], mutable: NSMutableSet = [one]
        #expect(set.count == 1 && set.contains(one))
        mutable.add(NSNumber(value: 2))
        #expect(mutable.count == 2 && ([] as NSSet).count == 0)
    }

    @Test func listsOfArgumentsMakePredicates() {
        func predicate(_ format: String, _ arguments: any CVarArg...) -> NSPredicate {
            withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
        }
        #expect(
            predicate("%K == %@ AND b > %d", "a", "x", 5)
                == NSPredicate(format: "a == 'x' AND b > 5")
        )
        let list = getVaList([7, 2.5])
        #expect(NSPredicate(format: "a IN {%d, %f}", arguments: list).evaluate(with: ["a": 2.5]))
        let sum = NSExpression(format: "%d + %f", arguments: list)
        #expect(sum.expressionValue(with: nil, context: nil) as? Double == 9.5)
        // The list is one for C functions, too.
        #expect(NSString(format: "%ld %.1f", arguments: list) as String == "7 2.5")
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func sortDescriptorsOfSwiftSortByTheirProperty() throws {
        try withContext(.sqlite, model: SortedThing.model()) { context in
            for name in ["b", "c", "a"] { context.make("SortedThing", ["name": name]) }
            try context.save()
            let request = NSFetchRequest<SortedThing>(entityName: "SortedThing")
            let descriptor = NSSortDescriptor(SortDescriptor(\SortedThing.name, order: .reverse))
            #expect(descriptor.key == "name" && !descriptor.ascending)
            request.sortDescriptors = [descriptor]
            #expect(try context.fetch(request).map(\.name) == ["c", "b", "a"])
        }
    }

    @Test func keyPathsSayTheirName() throws {
        try withContext(.inMemory, model: SortedThing.model()) { _ in
            #expect((\SortedThing.name)._kvcKeyPathString == "name")
            #expect((\String.count)._kvcKeyPathString == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func predicatesReachDescriptions(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "A"])
            #expect(NSPredicate(format: "entity.name == 'Person'").evaluate(with: person))
            let attributes = Array(person.entity.attributesByName.values) as NSArray
            let named = attributes.filtered(using: NSPredicate(format: "name == 'name'"))
            #expect(named.count == 1)
            #expect((attributes.value(forKey: "name") as? [String])?.contains("name") == true)
        }
    }

    @Test func predicatesReadObjectsOfAllClasses() throws {
        final class Loader: NSObject {
            var isLoaded = true
            var parent: Loader?
        }
        let loader = Loader(), isLoaded = NSPredicate(format: "isLoaded == YES")
        #expect(isLoaded.evaluate(with: loader))
        loader.isLoaded = false
        loader.parent = Loader()
        #expect(!isLoaded.evaluate(with: loader))
        #expect(NSPredicate(format: "parent.isLoaded == YES").evaluate(with: loader))
        try withContext(.inMemory) { context in
            let hasChanges = NSPredicate(format: "hasChanges == YES")
            #expect(!hasChanges.evaluate(with: context))
            context.make("Person", ["name": "A"])
            #expect(hasChanges.evaluate(with: context))
        }
    }

    @Test func compoundsSayTheirFormat() {
        let parts = [NSPredicate(format: "a > 1"), NSPredicate(format: "b == 'x'")]
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        let either = NSCompoundPredicate(type: .or, subpredicates: [both, parts[0]])
        let neither = NSCompoundPredicate(notPredicateWithSubpredicate: either)
        #expect("\(both)" == "a > 1 AND b == \"x\"" && "\(both)" == both.text)
        #expect("\(either)" == "(a > 1 AND b == \"x\") OR a > 1" && "\(either)" == either.text)
        #expect(
            "\(neither)" == "NOT ((a > 1 AND b == \"x\") OR a > 1)"
                && "\(neither)" == neither.text
        )
    }

    @Test func compoundsAreEqualByTheirParts() {
        func both(_ name: String) -> NSPredicate {
            let parts = [NSPredicate(format: "a > 1"), NSPredicate(format: "b == %@", name)]
            return NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        }
        #expect(both("x").isEqual(both("x")) && !both("x").isEqual(both("y")))
        #expect(Set([both("x"), both("x"), both("y")]).count == 2)
        #expect([both("x")].contains(both("x")) && ![both("x")].contains(both("y")))
    }

    @Test func modelsWithTheSameContentAreEqual() throws {
        let model = SortedThing.model(), copy = SortedThing.model()
        #expect(model == copy && model.hash == copy.hash && model == model.copy() as? NSObject)
        copy.entities[0].managedObjectClassName = "NSManagedObject"
        #expect(model != copy)
        #expect(NSManagedObjectModel() != model)
    }
}

/// What says the format on Linux, too, without the warning of Foundation's there.
private protocol FormatSaying { var predicateFormat: String { get } }
extension NSCompoundPredicate: FormatSaying {}
extension FormatSaying { fileprivate var text: String { predicateFormat } }

/// An object with an accessor over its primitive value.
final class SortedThing: NSManagedObject {
    var name: String { primitiveValue(forKey: "name") as? String ?? "" }

    static func model() -> NSManagedObjectModel {
        let thing = RulesModel.entity("SortedThing", ["name": .stringAttributeType])
        thing.managedObjectClassName = NSStringFromClass(SortedThing.self)
        let model = NSManagedObjectModel()
        model.entities = [thing]
        return model
    }
}
