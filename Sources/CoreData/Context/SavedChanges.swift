import CSwiftRuntime

/// What one save wrote, in terms of rows: all that a merge into another context needs, so that the
/// objects of the saving context stay on its queue.
///
/// > Threading: Immutable; any thread.
final class SavedChanges: @unchecked Sendable {
    // @unchecked: rows are immutable; what changes has locks.

    /// The changes in one store.
    struct InStore {
        let store: any RowStore
        var inserted: [Row] = []
        /// Rows as they are now.
        private(set) var updated: [Row] = []
        /// Where the updated rows are, in the same order: a merge looks at the rows themselves only
        /// where its context has objects of them.
        private(set) var updatedReferences: [RowReference] = []
        /// Rows of which only to-many relationships changed.
        var touched: [RowReference] = []
        var deleted: [RowReference] = []
        /// Whom updated rows have left and come to, in the order of `updated`. All these are in
        /// `touched`, which names each of them once.
        var moves: [Move] = []

        /// Changes in which nothing is updated yet.
        init(
            store: any RowStore,
            inserted: [Row] = [],
            touched: [RowReference] = [],
            deleted: [RowReference] = []
        ) {
            self.store = store
            self.inserted = inserted
            self.touched = touched
            self.deleted = deleted
        }

        /// Adds a row as it is after its update.
        mutating func update(_ row: Row) {
            updated.append(row)
            updatedReferences.append(row.reference)
        }

        /// Has the processor's cache fetch an updated row.
        @inline(__always) func bringUpdatedRowNear(_ index: Int) {
            // The address alone: to retain the row would wait for it.
            updated.withUnsafeBufferPointer { rows in
                rows.withMemoryRebound(to: Unmanaged<Row>.self) {
                    runtime_prefetchForWriting($0[index].toOpaque())
                }
            }
        }
    }

    /// An owner that an updated row has left or come to.
    struct Move {
        /// The row's index in `updated`.
        let index: Int
        let owner: RowReference
    }
    let stores: [InStore]
    /// How many objects the did-save notification names. One that has this and names others is of
    /// a part of the save.
    let namedCount: Int
    /// What the save's notifications name; nil for a part of a save. Who merges all of it names the
    /// same, and need not make the sets again.
    let ids: IDs?
    /// The number of the commit, while consistency is checked.
    let commitNumber: UInt64
    /// Where the rows stand, once somebody has asked for a part.
    let places = Locked<[Places]?>(nil)
    /// What of it contexts have merged.
    let merged = Locked<[Merged]>([])

    /// The save that this is a part of; nil for a whole one.
    let origin: SavedChanges?

    init(
        _ stores: [InStore],
        namedCount: Int,
        ids: IDs? = nil,
        commitNumber: UInt64,
        origin: SavedChanges? = nil
    ) {
        self.stores = stores
        self.ids = ids
        self.origin = origin
        self.namedCount = namedCount
        self.commitNumber = commitNumber
    }

    deinit {
        guard namedCount > BackgroundRelease.few, let ids else { return }
        // IDs may end on any thread.
        BackgroundRelease.end { withExtendedLifetime(ids) {} }
    }

    /// The key under which a did-save notification carries this, beside Apple's keys.
    static let key = "MergeStackSavedChanges"
}
