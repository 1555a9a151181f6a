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
        var updated: [Row] = []
        /// Rows of which only to-many relationships changed.
        var touched: [RowReference] = []
        var deleted: [RowReference] = []
        /// Whom updated rows have left and come to, in the order of `updated`. All these are in
        /// `touched`, which names each of them once.
        var moves: [Move] = []
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
        commitNumber: UInt64,
        origin: SavedChanges? = nil
    ) {
        self.stores = stores
        self.origin = origin
        self.namedCount = namedCount
        self.commitNumber = commitNumber
    }

    /// The key under which a did-save notification carries this, beside Apple's keys.
    static let key = "MergeStackSavedChanges"
}
