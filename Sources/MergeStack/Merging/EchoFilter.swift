import CoreData
import Foundation
import Threads

/// Knows what of a parent context's unsaved changes the main context has pushed there itself, so
/// that it does not get them back when the parent is saved.
///
/// Neither IDs nor values are compared: what counts is who was saving while the parent's objects
/// changed. Where that can't be told, the change is merged once more, which does no harm.
final class EchoFilter: Sendable {
    // The objects are compared by identity only, on any thread.
    private struct Pushed: @unchecked Sendable {
        /// Unsaved changes of one context.
        struct Changes {
            var own = Set<NSManagedObject>()
            /// Objects that somebody else has changed, too.
            var others = Set<NSManagedObject>()
        }
        var byContext: [ObjectIdentifier: Changes] = [:]
    }
    private let pushed = Guarded(Pushed())
    /// The thread of the main context's last save. Threads are compared, not queues: while the main
    /// context saves, its thread is in the parent's queue.
    private let savingThread = Guarded<ObjectIdentifier?>(nil)

    /// To be called on the thread that saves the main context.
    func mainWillSave() {
        let thread = ObjectIdentifier(Thread.current)
        savingThread.withLock { $0 = thread }
    }

    /// Whether this is the thread that saved the main context last.
    var isOnSavingThread: Bool {
        let thread = ObjectIdentifier(Thread.current)
        return savingThread.withLock { $0 } == thread
    }

    /// To be called when objects of a context above the main one have changed.
    ///
    /// - Parameter main: The main context, if its save did it. Objects that this save has changed
    ///   only along with its own, such as the other ends of relationships, are not main's: it
    ///   need not have known of them.
    func contextDidChange(_ notification: Notification, by main: NSManagedObjectContext?) {
        guard let context = notification.object as? NSManagedObjectContext else { return }
        let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]
        let objects = keys.reduce(into: Set<NSManagedObject>()) {
            $0.formUnion(notification.changedObjects($1))
        }
        var own = Set<NSManagedObject>()
        if let main {
            // Main may be asked here: the change happens inside its own save, on its saving thread,
            // and what it is saving still counts as changed.
            let deleted = Set(main.deletedObjects.map(\.objectID))
            let updated = Dictionary(
                main.updatedObjects.map { ($0.objectID, $0) },
                uniquingKeysWith: { first, _ in first }
            )
            let inserted = notification.changedObjects(NSInsertedObjectsKey)
            own = objects.filter { object in
                if inserted.contains(object) || deleted.contains(object.objectID) { return true }
                // Delete rules may have changed more of it here than main knows.
                guard let saved = updated[object.objectID] else { return false }
                let keys = saved.changedValues().keys
                return object.changedValues().keys.allSatisfy(keys.contains)
            }
        }
        // What a context above takes from the store, in a conflict say, is not main's any more.
        let refreshed = notification.changedObjects(NSRefreshedObjectsKey)
        guard !objects.isEmpty || !refreshed.isEmpty else { return }
        let old = pushed.withLock { pushed in
            let old = pushed.byContext[ObjectIdentifier(context)] ?? .init()
            pushed.byContext[ObjectIdentifier(context)] = Pushed.Changes(
                // Sets grow over several saves of main, since the parent may be saved long after
                // them, and once for all of them.
                own: old.own.subtracting(refreshed).union(own),
                others: old.others.union(objects.subtracting(own))
            )
            return old
        }
        // What may be the last references to objects goes outside the lock.
        withExtendedLifetime(old) {}
    }

    /// Takes what the main context has pushed into a context that has been saved.
    func takePushed(into context: NSManagedObjectContext) -> Set<NSManagedObject> {
        let changes = pushed.withLock {
            $0.byContext.removeValue(forKey: ObjectIdentifier(context))
        }
        return changes.map { $0.own.subtracting($0.others) } ?? []
    }
}
