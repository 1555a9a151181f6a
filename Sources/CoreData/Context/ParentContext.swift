/// A context as what its children stand on. All children of a context share one.
///
/// > Threading: Any thread. Requests run on the parent's queue, and the caller waits.
final class ParentContext: ContextParent, @unchecked Sendable {
    // @unchecked: the context is used on its queue; the rest is behind locks.

    let context: NSManagedObjectContext
    private let stores = Locked<[ParentStore]>([])
    private let followers = ContextFollowers()
    private let promoted = Locked<[KeyPromotion]>([])

    init(_ context: NSManagedObjectContext) { self.context = context }

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
            if let known = stores.first(where: { $0.underlying === underlying }) { return known }
            let made = ParentStore(context, underlying)
            stores.append(made)
            return made
        }
    }

    func write(_ parts: [(store: any RowStore, changes: StoreChangeSet)]) throws {
        for (store, changes) in parts where !changes.isEmpty {
            do {
                try store.write(changes)
            } catch let conflicts as RowConflicts {
                throw StoreConflicts(store: store, conflicts: conflicts.conflicts)
            }
        }
    }

    func inform(_ context: NSManagedObjectContext) { followers.add(context) }
    func forget(_ context: NSManagedObjectContext) { followers.remove(context) }
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext) {
        followers.announce(changes, from: source)
    }

    // MARK: Keys

    /// Notes keys that the parent's save has made permanent.
    func promote(_ promotions: [KeyPromotion]) {
        promoted.withLock { $0 += promotions }
    }

    func promotions(after count: Int) -> [KeyPromotion] {
        promoted.withLock { $0.count > count ? Array($0[count...]) : [] }
    }

    /// The permanent key that a temporary one has become.
    func permanentKey(_ temporary: Int64) -> Int64? {
        promoted.withLock { $0.last { $0.temporary == temporary }?.permanent }
    }
}
