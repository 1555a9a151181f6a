import CoreData

/// A row of the items' table as values, as a program without objects would hold it.
struct ItemRecord {
    private let integers: (Int64, Int64, Int64, Int64)
    private let reals: (Double, Double, Double)
    private let texts: (String, String, String)

    /// Reads the row of a statement that selects ``ItemTable/columns``.
    @inline(__always) init(_ row: SQLiteStatement) {
        // Tuples, and no calls: what arrays and calls cost for each row would make bare SQLite slower
        // than it is.
        integers = (row.integer(0), row.integer(1), row.integer(2), row.integer(3))
        reals = (row.real(4), row.real(5), row.real(9))
        texts = (row.text(6), row.text(7), row.text(8))
    }

    @inline(__always) func add(to sum: inout ValueSum) {
        sum.add(integers.0)
        sum.add(integers.1)
        sum.add(integers.2)
        sum.add(integers.3)
        sum.add(reals.0)
        sum.add(reals.1)
        sum.add(reals.2)
        sum.add(texts.0)
        sum.add(texts.1)
        sum.add(texts.2)
    }
}
