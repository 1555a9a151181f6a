/// What one save wrote, in terms of rows: all that a merge into another context needs, so that the
/// objects of the saving context stay on its queue.
///
/// > Threading: Immutable; any thread.
final class SavedChanges: @unchecked Sendable {
    // @unchecked: rows are immutable.

    /// The changes in one store.
    struct InStore {
        let store: any RowStore
        var inserted: [Row] = []
        /// Rows as they are now.
        var updated: [Row] = []
        /// Rows of which only to-many relationships changed.
        var touched: [RowReference] = []
        var deleted: [RowReference] = []
    }
    let stores: [InStore]
    /// The number of the commit, while consistency is checked.
    let commitNumber: UInt64

    init(_ stores: [InStore], commitNumber: UInt64) {
        self.stores = stores
        self.commitNumber = commitNumber
    }

    /// The key under which a did-save notification carries this, beside Apple's keys.
    static let key = "MergeStackSavedChanges"
}
