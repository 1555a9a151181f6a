/// Contexts of one level, held weakly: all of them, or those that merge the saves of others by
/// themselves.
///
/// > Threading: Any thread.
final class ContextList: Sendable {
    private struct Entry {
        /// Compared instead of the context: looking at a weak reference behind the lock could let
        /// the context's last reference go there.
        let identifier: ObjectIdentifier
        let context: WeakHold<NSManagedObjectContext>
    }
    private let entries = Locked<[Entry]>([])

    func add(_ context: NSManagedObjectContext) {
        let entry = Entry(identifier: ObjectIdentifier(context), context: WeakHold(context))
        entries.withLock { entries in
            // A context that stood here twice would merge each save twice.
            entries.removeAll { $0.identifier == entry.identifier }
            entries.append(entry)
        }
    }

    /// Called by contexts that go, too.
    func remove(_ context: NSManagedObjectContext) {
        let identifier = ObjectIdentifier(context)
        entries.withLock { $0.removeAll { $0.identifier == identifier } }
    }

    /// Those that are still alive.
    var alive: [NSManagedObjectContext] {
        // Weak references are read outside of the lock, see `identifier`.
        entries.withLock { $0 }.compactMap(\.context.object)
    }

    /// Merges a save into each of them but its source, on their queues.
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        announce(from: source) { $0.mergeOnce(changes) }
    }

    /// Has each of them but the source merge something, on their queues.
    func announce(
        from source: NSManagedObjectContext,
        _ merge: @escaping @Sendable (NSManagedObjectContext) -> Void
    ) {
        // Never at once, even on the right queue: the saver must not wait for other queues, and a
        // merge must not run inside of a save.
        for context in alive
        where context !== source && context.queue != nil {
            context.perform { merge(context) }
        }
    }
}
