/// What the coordinator asks of a store. A store deals in rows and references, knows nothing of
/// objects, and never calls a context.
///
/// > Threading: Any thread; a store serialises its writers and lets readers run beside them.
protocol RowStore: NSPersistentStore {
    /// Reads the metadata and checks or makes the schema.
    ///
    /// - Parameter entities: The layouts of the entities of the store's configuration.
    func open(model: ModelLayout, entities: [EntityLayout]) throws
    /// Closes files; requests after it throw.
    func close()

    /// The rows that a request asks for, in its order.
    func rows(_ plan: FetchPlan) throws -> [Row]
    /// The same, some at a time, while they are read.
    ///
    /// - Parameter take: Takes the rows in their order. It must call no client's code, which might
    ///   close the store that is being read.
    func rows(_ plan: FetchPlan, inBatches take: ([Row]) throws -> Void) throws
    /// The references of the rows that a request asks for, in its order.
    func references(_ plan: FetchPlan) throws -> [RowReference]
    /// The number of rows that a request asks for, its limit and offset applied.
    func count(_ plan: FetchPlan) throws -> Int
    /// One array for each group or row, a value for each of `columns`, as key-value access gives
    /// them; relationships as `RowReference`.
    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]]
    /// The row for a primary key; nil if there is none.
    ///
    /// - Parameter layout: The row's entity or an ancestor of it.
    func row(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row?
    /// The same for a row that the row cache is known not to have.
    func uncachedRow(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row?
    /// Whether the store holds rows of an entity.
    func holds(_ layout: EntityLayout) -> Bool
    /// Makes the next access to a row read the store.
    func invalidateRow(_ layout: EntityLayout, _ primaryKey: Int64)
    /// What the row cache knows of a row, without reading the store.
    func cachedRow(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry
    /// The content of a to-many relationship; in order, if it is ordered.
    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [RowReference]

    /// The same as whole rows; nil where a store has no way of its own to read them.
    func relatedRows(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [Row]?

    /// The content of a to-many relationship of several rows of an entity, by their keys; rows
    /// without content are left out.
    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        of primaryKeys: [Int64]
    ) throws -> [Int64: [RowReference]]

    /// Takes primary keys for good; the first of `count` consecutive ones.
    ///
    /// - Parameter rootIndex: The root entity whose table the rows go to.
    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64

    /// Takes primary keys as `reservePrimaryKeys` does, of rows that can't be given others when
    /// they are saved: no other process takes them meanwhile.
    func claimPrimaryKeys(rootIndex: Int, count: Int) throws -> Int64

    /// Whether the client has set metadata that the next save has to write.
    var hasChangedMetadata: Bool { get }

    /// Whether a request gives references at no cost and each row costs a request of its own.
    var readsRowsOneByOne: Bool { get }

    /// Whether the store keeps derived values that follow from other rows.
    var keepsDerivedValues: Bool { get }

    // MARK: What a store can do beyond rows; nil where it can't

    /// The store, if it changes many rows at once.
    var batches: (any BatchStore)? { get }
    /// The store, if it can keep a history of its changes.
    var history: (any HistoryStore)? { get }
    /// The store, if it can tell whether its content is still the same.
    var stamped: (any StampedStore)? { get }
    /// The store, if a save hands it objects beside the rows.
    var objectStore: (any ObjectStore)? { get }
    /// The class, if it migrates its files in place.
    static var migrating: (any MigratingStore.Type)? { get }

    /// Writes a save in one transaction.
    ///
    /// The row cache has what was written before this returns.
    ///
    /// - Parameter beforeCommit: Called when all that can be known to fail has been done; if it
    ///   throws, nothing is written. It writes the other stores of the same save.
    /// - Throws: `RowConflicts` if rows are not at the version that the save expects, and
    ///   `LateReferences` if others refer to what it deletes; nothing has been written then.
    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws
}

extension RowStore {
    func rows(_ plan: FetchPlan, inBatches take: ([Row]) throws -> Void) throws {
        try take(try rows(plan))
    }

    func uncachedRow(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        try row(layout, primaryKey)
    }

    var readsRowsOneByOne: Bool { false }

    var hasChangedMetadata: Bool { false }

    var keepsDerivedValues: Bool { false }

    var batches: (any BatchStore)? { nil }
    var history: (any HistoryStore)? { nil }
    var stamped: (any StampedStore)? { nil }
    var objectStore: (any ObjectStore)? { nil }
    static var migrating: (any MigratingStore.Type)? { nil }

    func claimPrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        try reservePrimaryKeys(rootIndex: rootIndex, count: count)
    }

    func relatedRows(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [Row]? {
        nil
    }

    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        of primaryKeys: [Int64]
    ) throws -> [Int64: [RowReference]] {
        var result: [Int64: [RowReference]] = [:]
        for primaryKey in primaryKeys {
            result[primaryKey] = try related(layout, slot, primaryKey)
        }
        return result
    }

    /// Writes the save of this store alone.
    func write(_ changes: StoreChangeSet) throws {
        var changes = changes
        changes.isWholeSave = true
        try write(changes) {}
    }
}

/// A request in terms of rows.
struct FetchPlan {
    var layout: EntityLayout
    var includesSubentities = true
    /// Constants in it that identify rows are `StoredRowIdentifiable`.
    var predicate: NSPredicate?
    var sortDescriptors: [NSSortDescriptor] = []
    /// 0: no limit.
    var limit = 0
    var offset = 0
    /// Only these rows, if set; the predicate and all else apply to them.
    var primaryKeys: [Int64]?
    /// Ends the reading of rows from outside, if set.
    var cancellation: FetchCancellation?
}

/// What a request for dictionaries asks for beside its rows.
struct ColumnPlan {
    enum Column {
        /// A key path that ends at an attribute or a to-one relationship.
        case keyPath(String)
        /// An `NSExpressionDescription`'s expression with its result type.
        case expression(NSExpression, NSAttributeType)
        /// The row itself, as a `RowReference`.
        case objectID
    }
    var columns: [Column]
    var isDistinct = false
    /// Rows for which these have the same values are one group.
    var groupBy: [NSExpression] = []
    var having: NSPredicate?
}
