/// The rows that objects had before a merge gave them newer ones. These may be the last references
/// to them.
///
/// A row that goes may have its cache locked for a slab, besides. Of many a context does not wait for
/// that.
struct FormerRows: ~Copyable {
    private var rows: [Unmanaged<Row>] = []

    /// Takes over a reference.
    @inline(__always) mutating func append(_ row: Unmanaged<Row>) { rows.append(row) }

    mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }

    deinit {
        guard rows.count > BackgroundRelease.few else { return Self.release(rows) }
        // Nobody reads them any more, and their ends may come on any thread.
        nonisolated(unsafe) let rows = rows
        BackgroundRelease.end { Self.release(rows) }
    }

    private static func release(_ rows: [Unmanaged<Row>]) { for row in rows { row.release() } }
}
