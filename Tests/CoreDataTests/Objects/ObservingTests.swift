import CoreData
import Foundation
import TestSupport
import Testing

class WatchedPerson: NSManagedObject, PropertyNaming {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }
    var age: Int32 {
        get { value(forKey: "age") as? Int32 ?? 0 }
        set {
            willChangeValue(forKey: "age")
            setPrimitiveValue(newValue, forKey: "age")
            didChangeValue(forKey: "age")
        }
    }
    var tags: NSSet? { value(forKey: "tags") as? NSSet }
    var label: String { "\(name ?? "") (\(age))" }
    var departmentName: String? { value(forKeyPath: "department.name") as? String }

    class var propertyNames: [AnyKeyPath: String] {
        [
            \WatchedPerson.name: "name", \WatchedPerson.age: "age", \WatchedPerson.tags: "tags",
            \WatchedPerson.label: "label", \WatchedPerson.departmentName: "department.name",
        ]
    }

    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "label" ? ["name", "age"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}

/// Key-value observing of managed objects by closures.
@Suite struct ObservingTests {
    private final class Told {
        var changes: [String] = []
    }

    private func withPerson(
        _ kind: StoreKind,
        _ body: (TestStack, NSManagedObjectContext, WatchedPerson) throws -> Void
    ) throws {
        let model = SampleModel.make()
        model.entitiesByName["Person"]?.managedObjectClassName = NSStringFromClass(
            WatchedPerson.self
        )
        let stack = try TestStack(kind, model: model, options: nil)
        let context = stack.makeContext()
        try withExtendedLifetime(stack) {
            try context.onQueue {
                let person = WatchedPerson(context: context)
                person.name = "Ann"
                person.age = 30
                try context.save()
                try body(stack, context, person)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func everyWayToSetAValueIsTold(kind: StoreKind) throws {
        try withPerson(kind) { _, _, person in
            let told = Told()
            let names = person.observe(\.name, options: [.old, .new]) { object, change in
                #expect(object === person)
                #expect(change.kind == .setting && !change.isPrior)
                let (old, new) = (change.oldValue ?? nil, change.newValue ?? nil)
                told.changes.append("\(old ?? "nil") → \(new ?? "nil")")
            }
            let ages = person.observe(\.age) { object, change in
                #expect(change.oldValue == nil && change.newValue == nil)
                told.changes.append("age \(object.age)")
            }
            person.name = "Bea"
            person.setValue(nil, forKey: "name")
            person.age = 31
            person.setValue(32, forKey: "age")
            names.invalidate()
            person.name = "Cleo"
            #expect(
                told.changes == [
                    "Ann → Bea", "Bea → nil", "age 31", "age 32",
                ]
            )
            withExtendedLifetime(ages) {}
        }
    }

    @Test func anObservationEndsWithItsToken() throws {
        try withPerson(.inMemory) { _, _, person in
            let told = Told()
            var token: NSKeyValueObservation? = person.observe(
                \.name,
                options: [.initial, .new, .prior]
            ) { _, change in
                told.changes.append("\(change.isPrior) \(change.newValue??.description ?? "-")")
            }
            person.name = "Bea"
            #expect(token != nil)
            token = nil
            person.name = "Cleo"
            #expect(told.changes == ["false Ann", "true -", "false Bea"])
        }
    }

    @Test func aPathAndWhatAValueStandsOnAreFollowed() throws {
        try withPerson(.sqlite) { _, context, person in
            let told = Told()
            let tokens = [
                person.observe(\.departmentName, options: [.new]) { _, change in
                    told.changes.append("department \((change.newValue ?? nil) ?? "-")")
                },
                person.observe(\.label, options: [.new]) { _, change in
                    told.changes.append("label \(change.newValue ?? "-")")
                },
            ]
            let departments = ["Tea", "Tools"].map { name in
                let department = NSEntityDescription.insertNewObject(
                    forEntityName: "Department",
                    into: context
                )
                department.setValue(name, forKey: "name")
                return department
            }
            person.setValue(departments[0], forKey: "department")
            departments[0].setValue("Coffee", forKey: "name")
            person.setValue(departments[1], forKey: "department")
            departments[0].setValue("Nobody looks", forKey: "name")
            person.age = 7
            #expect(
                told.changes == [
                    "department Tea", "department Coffee", "department Tools", "label Ann (7)",
                ]
            )
            withExtendedLifetime(tokens) {}
        }
    }

    @Test(arguments: StoreKind.allCases)
    func mergesRefreshesAndUndoAreToldIfTheyBringAnotherValue(kind: StoreKind) throws {
        try withPerson(kind) { stack, context, person in
            context.undoManager = UndoManager()
            let told = Told()
            let tokens = [
                person.observe(\.name, options: [.new]) { _, change in
                    told.changes.append((change.newValue ?? nil) ?? "nil")
                },
                person.observe(\.age, options: [.new]) { _, change in
                    told.changes.append("age \(change.newValue ?? -1)")
                },
            ]
            let other = stack.makeContext()
            let id = person.objectID
            try other.performAndWait {
                other.object(with: id).setValue("Bea", forKey: "name")
                try other.save()
            }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [id]],
                into: [context]
            )
            #expect(told.changes == ["Bea"])
            person.age = 31
            context.processPendingChanges()
            context.undo()
            context.rollback()
            #expect(told.changes == ["Bea", "age 31", "age 30"])
            person.age = 32
            context.refresh(person, mergeChanges: false)
            #expect(told.changes.suffix(2) == ["age 32", "age 30"])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test func anInverseThatChangesIsTold() throws {
        try withPerson(.sqlite) { _, context, person in
            let told = Told()
            let token = person.observe(\.tags, options: [.old, .new]) { _, change in
                let (old, new) = (change.oldValue ?? nil, change.newValue ?? nil)
                told.changes.append("\(old?.count ?? -1) → \(new?.count ?? -1)")
            }
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue(NSSet(object: person), forKey: "people")
            context.delete(tag)
            context.processPendingChanges()
            #expect(told.changes == ["0 → 1", "1 → 0"])
            withExtendedLifetime(token) {}
        }
    }
}
