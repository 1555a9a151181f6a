/// A context as the parent store of its children, which all share this one.
///
/// > Threading: Any thread. Requests run on the parent's queue, and the caller waits.
final class ParentContext: ContextParent, @unchecked Sendable {
    // @unchecked: the context is used on its queue; the rest is behind locks.

    let context: NSManagedObjectContext
    private let stores = Locked<[ParentStore]>([])
    private let followers = ContextList()
    let promotions: KeyPromotions?
    let contexts = ContextList()

    init(_ context: NSManagedObjectContext) {
        self.context = context
        // One log for the whole tree, which the lowest context makes.
        promotions = context.parentSource?.promotions ?? KeyPromotions()
    }

    var baseCoordinator: NSPersistentStoreCoordinator? { context.persistentStoreCoordinator }
    var isStoreLevel: Bool { false }

    func rowStores(holding layout: EntityLayout) -> [any RowStore] {
        context.source.rowStores(holding: layout).map(store)
    }

    func writableRowStore(holding layout: EntityLayout) -> (any RowStore)? {
        context.source.writableRowStore(holding: layout).map(store)
    }

    func rowStore(_ identity: StoreIdentity) -> (any RowStore)? {
        context.source.rowStore(identity).map(store)
    }

    /// The parent's view of one of its stores.
    private func store(_ underlying: any RowStore) -> any RowStore {
        stores.withLock { stores in
            // One view of each store, always the same: registries are found by its identity.
            if let known = stores.first(where: { $0.underlying === underlying }) { return known }
            let made = ParentStore(context, underlying)
            stores.append(made)
            return made
        }
    }

    func write(_ parts: [StoreSave]) throws {
        let parts = parts.filter { !$0.changes.isEmpty }
        guard !parts.isEmpty else { return }
        try context.onOwnQueue { context in
            let taken = try parts.map { part in
                // A parent meets neither values that must be unique nor rows that refer to deleted
                // ones: it does when it saves to the stores itself.
                do {
                    let shown = (part.store as? ParentStore)?.underlying ?? part.store
                    return try context.examine(part.changes, in: shown)
                } catch let conflicts as RowConflicts {
                    throw StoreConflicts(store: part.store, conflicts: conflicts.conflicts)
                } catch var dangling as DanglingReferences {
                    dangling.store = part.store
                    throw dangling
                }
            }
            // After all parts were examined: from here on nothing fails, and the parent has all of
            // the save.
            for part in taken { context.takeIn(part) }
        }
    }

    func addFollower(_ context: NSManagedObjectContext) { followers.add(context) }
    func removeFollower(_ context: NSManagedObjectContext) { followers.remove(context) }
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        followers.announce(changes, from: source)
    }

    /// Has the children that merge by themselves merge what the context itself has saved or merged.
    func announceBelow(_ merge: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        followers.announce(from: context, merge)
    }
}
