import CoreData
import Foundation

/// What calls are made on: a context with objects of each kind, made on its queue.
///
/// @unchecked: the calls come one after the other; to use it off the queue is what it is for.
final class QueueSetting: @unchecked Sendable {
    let stack: Stack
    let context: NSManagedObjectContext
    /// Saved, and read.
    let item: NSManagedObject
    /// Saved, with nothing read yet.
    let fault: NSManagedObject
    let list: NSManagedObject
    let inserted: NSManagedObject
    /// In no context yet.
    let detached: NSManagedObject
    let tags: NSMutableSet
    let entries: NSMutableOrderedSet
    let store: NSPersistentStore
    /// A save of another context.
    let notification: Notification

    init() throws {
        stack = try Stack(Self.memory, type: NSInMemoryStoreType)
        guard let store = stack.coordinator.persistentStores.first else {
            throw CancellationError()
        }
        self.store = store
        try stack.save(Samples.fill)
        context = stack.makeContext()
        context.undoManager = UndoManager()
        let other = stack.makeContext()
        notification = try other.inQueue {
            let posted = Posted()
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave,
                object: other,
                queue: nil
            ) { posted.notification = $0 }
            other.make("Owner", "of another context")
            try other.save()
            NotificationCenter.default.removeObserver(token)
            return posted.notification
        }
        let context = context
        let made = try context.inQueue {
            let items = try context.all("Item")
            _ = items[0].value(forKey: "value")
            let list = try context.all("List")[0]
            let inserted = context.make("Owner", "unsaved")
            context.processPendingChanges()
            return (items, list, inserted)
        }
        item = made.0[0]
        list = made.1
        inserted = made.2
        guard let entity = TortureModel.first.entitiesByName["Tag"] else {
            throw CancellationError()
        }
        detached = NSManagedObject(entity: entity, insertInto: nil)
        let fault = made.0[1]
        self.fault = fault
        let views = context.inQueue { [item, list] in
            context.refresh(fault, mergeChanges: false)
            context.processPendingChanges()
            return (
                item.mutableSetValue(forKey: "tags"),
                list.mutableOrderedSetValue(forKey: "entries")
            )
        }
        tags = views.0
        entries = views.1
    }

    private static let memory = URL(fileURLWithPath: "/memory")
}

/// @unchecked: posted and read on one thread.
private final class Posted: @unchecked Sendable {
    var notification = Notification(name: .NSManagedObjectContextDidSave)
}
