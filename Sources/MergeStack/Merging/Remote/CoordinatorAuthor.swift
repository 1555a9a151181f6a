import CoreData
import Threads

/// The author that saves of one coordinator's contexts are given, so that its transactions can be
/// told from those of other processes, and of other coordinators of this one.
enum CoordinatorAuthor {
    private final class Entry: Sendable {
        /// Compared instead of the coordinator, which is not looked at behind the lock.
        let identifier: ObjectIdentifier
        let coordinator: WeakReference<NSPersistentStoreCoordinator>
        // The number of the process may come again; this does not.
        let author = "MergeStack \(UUID().uuidString)"

        init(_ coordinator: NSPersistentStoreCoordinator) {
            identifier = ObjectIdentifier(coordinator)
            self.coordinator = WeakReference(coordinator)
        }
    }
    private static let entries = Guarded<[Entry]>([])

    /// The author of a coordinator; all mergers on it have the same.
    static func author(of coordinator: NSPersistentStoreCoordinator) -> String {
        // Reading a weak reference may make the last strong one, whose release runs a deinit: never
        // under the lock.
        let gone = entries.withLock { $0 }.filter { $0.coordinator.object == nil }
        return entries.withLock { entries in
            entries.removeAll { entry in gone.contains { $0 === entry } }
            // Whoever had this address before was gone when this began, and is out of the list.
            let identifier = ObjectIdentifier(coordinator)
            if let known = entries.first(where: { $0.identifier == identifier }) {
                return known.author
            }
            let made = Entry(coordinator)
            entries.append(made)
            return made.author
        }
    }
}
