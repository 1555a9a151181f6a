/// Contexts of one level, held weakly: all of them, or those that merge the saves of others by
/// themselves.
///
/// > Threading: Any thread.
final class ContextFollowers: Sendable {
    private struct Follower {
        /// Compared instead of the context: looking at a weak reference behind the lock could let
        /// the context's last reference go there.
        let identifier: ObjectIdentifier
        weak var context: NSManagedObjectContext?
    }
    private let followers = Locked<[Follower]>([])

    func add(_ context: NSManagedObjectContext) {
        let follower = Follower(identifier: ObjectIdentifier(context), context: context)
        followers.withLock { followers in
            followers.removeAll { $0.identifier == follower.identifier }
            followers.append(follower)
        }
    }

    /// Called by contexts that go, too.
    func remove(_ context: NSManagedObjectContext) {
        let identifier = ObjectIdentifier(context)
        followers.withLock { $0.removeAll { $0.identifier == identifier } }
    }

    /// Those that are still alive.
    var alive: [NSManagedObjectContext] {
        followers.withLock { $0 }.compactMap(\.context)
    }

    /// Merges a save into each of them but its source, on their queues.
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        announce(from: source) { $0.merge(changes) }
    }

    /// Has each of them but the source merge something, on their queues.
    func announce(
        from source: NSManagedObjectContext,
        _ merge: @escaping @Sendable (NSManagedObjectContext) -> Void
    ) {
        for context in alive
        where context !== source && context.queue != nil {
            context.perform { merge(context) }
        }
    }
}
