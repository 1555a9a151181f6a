import CoreData
import TestSupport

/// A private-queue context on a coordinator, a child of it, and a child of that.
final class Family: Sendable {
    let stack: TestStack
    let parent: NSManagedObjectContext
    let child: NSManagedObjectContext
    let grandchild: NSManagedObjectContext

    init(_ kind: StoreKind) throws {
        stack = try TestStack(kind)
        parent = stack.makeContext("parent")
        child = Self.makeChild(of: parent, "child")
        grandchild = Self.makeChild(of: child, "grandchild")
    }

    static func makeChild(
        of parent: NSManagedObjectContext,
        _ name: String
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = parent
        context.name = name
        return context
    }

    /// The ID of an object that the parent has saved.
    func saved(_ entity: String, _ values: [String: Any]) throws -> NSManagedObjectID {
        try parent.onQueue {
            let object = parent.make(entity, values)
            try parent.save()
            return object.objectID
        }
    }

    /// A value of an object as a context has it.
    func text(
        _ key: String,
        of id: NSManagedObjectID,
        in context: NSManagedObjectContext
    ) throws -> String? {
        try context.onQueue { try context.existingObject(with: id).text(key) }
    }

    /// What the sets of changed objects of a context hold.
    func changeCounts(_ context: NSManagedObjectContext) -> [Int] {
        context.onQueue {
            [context.insertedObjects, context.updatedObjects, context.deletedObjects].map(\.count)
        }
    }
}

/// Runs a body with a family that stays alive until the body has ended.
func withFamily(_ kind: StoreKind, _ body: (Family) throws -> Void) throws {
    let family = try Family(kind)
    try withExtendedLifetime(family) { try body(family) }
}
