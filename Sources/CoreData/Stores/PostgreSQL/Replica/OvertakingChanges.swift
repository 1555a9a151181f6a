#if PostgreSQL
/// What a store has saved while a page of the feed was being read: the page has older content of it.
struct OvertakingChanges {
    private var rows: [[HistoryWriter.Change]] = []
    /// Whether it is more than the content of rows: what others refer to is gone, or relationships
    /// have changed that other rows or tables tell.
    private var isWide = false

    var isEmpty: Bool { rows.isEmpty }

    init() {}

    init(_ saves: [[HistoryWriter.Change]], changesToMany: Bool) {
        rows = saves
        isWide = changesToMany || saves.joined().contains { $0.type == .delete }
    }

    mutating func formUnion(_ other: OvertakingChanges) {
        rows += other.rows
        isWide = isWide || other.isWide
    }

    /// Whether a page has rows that may be older than what the store has saved.
    func meets(_ touched: TouchedRows, _ model: ModelLayout) -> Bool {
        guard !touched.isEmpty else { return false }
        return isWide
            || rows.joined().contains { change in
                let root = model.entities[change.reference.entityIndex].rootIndex
                return touched.properties[root]?[change.reference.primaryKey] != nil
            }
    }
}
#endif
