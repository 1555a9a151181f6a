/// Keeps the last rows that were read one by one, so that they stay in the row cache for a while.
///
/// Without it, asking a thousand objects for the same related object would read that one's row
/// again each time that nobody else holds it.
struct RecentRows {
    private static let capacity = 256
    private var rows: [Row] = []
    private var next = 0

    mutating func keep(_ row: Row) {
        if rows.count < Self.capacity {
            rows.append(row)
        } else {
            rows[next] = row
            next = (next + 1) % Self.capacity
        }
    }

    mutating func removeAll() {
        rows = []
        next = 0
    }
}
