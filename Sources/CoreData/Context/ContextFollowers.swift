/// The contexts that merge the saves of others at one level by themselves.
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

    /// Merges a save into each of them but its source, on their queues.
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        let followers = followers.withLock { $0 }
        for context in followers.compactMap(\.context)
        where context !== source && context.queue != nil {
            context.perform { context.merge(changes) }
        }
    }
}
