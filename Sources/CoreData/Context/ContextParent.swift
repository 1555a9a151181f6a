/// A context's parent store: a coordinator, or another context. Both answer the same requests, so
/// that nested contexts are no special case.
protocol ContextParent: AnyObject {
    /// The coordinator of the outermost ancestor; nil as long as that has none.
    var baseCoordinator: NSPersistentStoreCoordinator? { get }
    /// The contexts whose parent store this is.
    var contexts: ContextList { get }
    /// The stores, as this level shows them, that hold an entity.
    func rowStores(holding layout: EntityLayout) -> [any RowStore]
    /// The first store that takes new objects of an entity.
    func writableRowStore(holding layout: EntityLayout) -> (any RowStore)?
    /// The store with an identity, as this level shows it.
    func rowStore(_ identity: StoreIdentity) -> (any RowStore)?
    /// Takes in a save.
    ///
    /// - Throws: `StoreConflicts`; what a store throws.
    func write(_ parts: [StoreSave]) throws
    /// Writes metadata of stores that clients have set, if a save ends in the stores.
    func writeChangedMetadata() throws
    /// Whether a save ends in the stores: objects get permanent keys and rows a new version.
    var isStoreLevel: Bool { get }

    /// Has a context merge the saves of others from now on.
    func addFollower(_ context: NSManagedObjectContext)
    /// Ends `addFollower(_:)`.
    func removeFollower(_ context: NSManagedObjectContext)
    /// Hands a save to the contexts that merge by themselves, each on its queue.
    func announce(_ changes: SavedChanges, from source: NSManagedObjectContext)
    /// What temporary keys have become; nil where there are none.
    var promotions: KeyPromotions? { get }
}

extension ContextParent {
    // For parent contexts, whose own save writes metadata when it ends in the stores.
    func writeChangedMetadata() throws {}
}

extension NSPersistentStoreCoordinator: ContextParent {
    var baseCoordinator: NSPersistentStoreCoordinator? { self }
    var isStoreLevel: Bool { true }
    var promotions: KeyPromotions? { nil }
}
