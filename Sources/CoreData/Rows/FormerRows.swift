import Dispatch

/// The rows that objects had before a merge gave them newer ones. These may be the last references
/// to them.
///
/// A row that goes has its memory looked at, which is cold by then, and may have its cache locked for a
/// slab. Of many a context does not wait for that: they go on a queue of their own.
struct FormerRows: ~Copyable {
    private static let few = 64
    private static let queue = DispatchQueue(label: "CoreData.FormerRows", qos: .utility)

    private var rows: [Unmanaged<Row>] = []

    /// Takes over a reference.
    @inline(__always) mutating func append(_ row: Unmanaged<Row>) { rows.append(row) }

    deinit {
        guard rows.count > Self.few else { return Self.release(rows) }
        // Nobody reads them any more, and their ends may come on any thread.
        nonisolated(unsafe) let rows = rows
        Self.queue.async { Self.release(rows) }
    }

    private static func release(_ rows: [Unmanaged<Row>]) { for row in rows { row.release() } }
}
