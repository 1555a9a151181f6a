import Foundation

/// A store as a parent context shows it to its children: rows with the parent's unsaved changes.
///
/// Rows that the parent has inserted and not saved have negative primary keys.
///
/// > Threading: Any thread. Requests run on the parent's queue, and the caller waits.
final class ParentStore: NSPersistentStore, RowStore, @unchecked Sendable {
    // @unchecked: constant; the context is used on its queue.

    let context: NSManagedObjectContext
    let underlying: any RowStore

    init(_ context: NSManagedObjectContext, _ underlying: any RowStore) {
        self.context = context
        self.underlying = underlying
        super.init(
            persistentStoreCoordinator: nil,
            configurationName: underlying.configurationName,
            at: underlying.url ?? .nullDevice,
            options: nil
        )
    }

    override var identity: StoreIdentity { underlying.identity }
    override var type: String { underlying.type }
    override var isReadOnly: Bool {
        get { underlying.isReadOnly }
        set { underlying.isReadOnly = newValue }
    }
    func open(model: ModelLayout, entities: [EntityLayout]) throws {}
    func close() {}
    var readsRowsOneByOne: Bool { underlying.readsRowsOneByOne }
    func holds(_ layout: EntityLayout) -> Bool { underlying.holds(layout) }
    func invalidateRow(_ layout: EntityLayout, _ primaryKey: Int64) {
        underlying.invalidateRow(layout, primaryKey)
    }
    /// Nothing is known without asking the parent.
    func cachedRow(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry { .unknown }
    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        try underlying.reservePrimaryKeys(rootIndex: rootIndex, count: count)
    }

    func claimPrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        try underlying.claimPrimaryKeys(rootIndex: rootIndex, count: count)
    }
    /// Has the parent give permanent keys to objects that it has not saved.
    func takePermanentKeys(for references: [RowReference]) throws {
        try context.onOwnQueue { parent in
            parent.adoptPromotions()
            // An object that the parent does not know may be one of a level above it, and is
            // asked for there in turn.
            let objects = references.map { parent.object($0, in: underlying) }
            try parent.baseObtainPermanentIDs(for: objects)
        }
    }

    /// Dictionaries show what is saved only.
    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]] {
        try underlying.values(plan, columns: columns)
    }

    func rows(_ plan: FetchPlan) throws -> [Row] {
        try context.onOwnQueue { try $0.rowsForChild(plan, in: underlying) }
    }

    func references(_ plan: FetchPlan) throws -> [RowReference] {
        try rows(plan).map(\.reference)
    }

    func count(_ plan: FetchPlan) throws -> Int {
        try context.onOwnQueue { try $0.countForChild(plan, in: underlying) }
    }

    func row(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        try context.onOwnQueue { try $0.rowForChild(layout, primaryKey, in: underlying) }
    }

    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [RowReference] {
        try context.onOwnQueue { try $0.relatedForChild(layout, slot, primaryKey, in: underlying) }
    }

    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        try context.onOwnQueue { $0.takeIn(try $0.examine(changes, in: underlying)) }
        try beforeCommit()
    }
}

extension NSManagedObjectContext {
    /// Runs what a child asks for where the context's objects may be used, while the child waits.
    func onOwnQueue<Result>(
        _ body: (NSManagedObjectContext) throws -> Result
    ) rethrows -> Result {
        // A confinement context has no queue; its children are used on its thread.
        guard let queue else { return try CurrentContext.inside(self) { try body(self) } }
        // Children wait for their parents and never the other way round, so that no two wait for
        // each other. A store of a client's class learns who asks: the parent.
        return try ThreadPlaces.sync(on: queue) {
            try CurrentContext.inside(self) { try body(self) }
        }
    }
}

extension RowStore {
    /// The store itself, however many contexts show it.
    var coordinatorStore: any RowStore {
        (self as? ParentStore)?.underlying.coordinatorStore ?? self
    }

    /// Whether this is a store, or shows it.
    func shows(_ store: any RowStore) -> Bool {
        self === store || (self as? ParentStore)?.underlying.shows(store) == true
    }
}
