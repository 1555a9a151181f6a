import TestSupport
import Testing

@testable import CoreData

/// A context to be damaged by hand: two people of a saved department, all relationships loaded.
struct ConsistencyScene {
    let context: NSManagedObjectContext
    let stack: TestStack
    let department: NSManagedObject
    let people: [NSManagedObject]

    /// Runs a body on the context's queue. Findings do not stop the process meanwhile.
    static func with(
        _ model: NSManagedObjectModel = SampleModel.make(),
        _ body: (Self) throws -> Void
    ) throws {
        let stack = try TestStack(.sqlite, model: model)
        let context = stack.makeContext("mine")
        try context.onQueue {
            let department = insert("Department", "d", context)
            let people = ["a", "b"].map { insert("Person", $0, context) }
            for person in people { person.setValue(department, forKey: "department") }
            try context.save()
            _ = department.value(forKey: "people")
            let scene = Self(
                context: context,
                stack: stack,
                department: department,
                people: people
            )
            #expect(scene.found() == [])
            context.consistency?.onFinding = { _ in }
            try body(scene)
            context.reset()
        }
        withExtendedLifetime(stack) {}
    }

    private static func insert(
        _ entity: String,
        _ name: String,
        _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        if object.layout.slot(named: "name") != nil { object.setValue(name, forKey: "name") }
        return object
    }

    func make(_ entity: String, _ name: String) -> NSManagedObject {
        Self.insert(entity, name, context)
    }

    /// Sets what a to-one relationship shows, without a change.
    func show(_ object: NSManagedObject?, as key: String, of owner: NSManagedObject) {
        let slot = owner.requiredSlot(key).index
        _ = owner.toOneObject(slot)
        owner.ensureOverlay().setBox(slot, object)
    }

    func found(isSettled: Bool = true) -> [String] {
        context.inconsistencies(isSettled: isSettled).map(\.sentence)
    }

    func expect(_ part: String, isSettled: Bool = true) {
        let found = found(isSettled: isSettled)
        #expect(found.contains { $0.contains(part) }, "\(found)")
    }
}
