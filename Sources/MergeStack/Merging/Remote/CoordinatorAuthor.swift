import CoreData
import Threads

/// The author that saves of one coordinator's contexts are given, so that its transactions can be
/// told from those of other processes, and of other coordinators of this one.
enum CoordinatorAuthor {
    private struct Entry {
        let coordinator: WeakReference<NSPersistentStoreCoordinator>
        let author: String
    }
    private static let entries = Guarded<[Entry]>([])

    /// The author of a coordinator; all mergers on it have the same.
    static func author(of coordinator: NSPersistentStoreCoordinator) -> String {
        entries.withLock { entries in
            entries.removeAll { $0.coordinator.object == nil }
            if let known = entries.first(where: { $0.coordinator.object === coordinator }) {
                return known.author
            }
            // The number of the process may come again; this does not.
            let author = "MergeStack \(UUID().uuidString)"
            entries.append(Entry(coordinator: WeakReference(coordinator), author: author))
            return author
        }
    }
}
