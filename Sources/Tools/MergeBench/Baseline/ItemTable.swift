/// The items' table of a store, as the coordinator made it, written and read without it.
struct ItemTable {
    /// The columns of an item's attributes, in the order of ``ItemModel/keys``.
    static let columns = ItemModel.keys.map { "Z" + $0.uppercased() }.joined(separator: ", ")

    private let insertion: SQLiteStatement
    private let update: SQLiteStatement
    private let deletion: SQLiteStatement
    private var lastKey: Int64

    init(_ database: SQLiteDatabase) throws {
        let marks = ItemModel.keys.map { _ in "?" }.joined(separator: ", ")
        // The model has one entity, whose number is 1, and a new row's version for optimistic
        // locking is 1.
        insertion = try database.prepare(
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, \(Self.columns)) VALUES (?, 1, 1, \(marks))"
        )
        update = try database.prepare(
            "UPDATE ZITEM SET ZSCORE = ?, ZNAME = ?, ZTEXT = ?, Z_OPT = Z_OPT + 1 WHERE ZNUMBER = ?"
        )
        deletion = try database.prepare("DELETE FROM ZITEM WHERE ZNUMBER = ?")
        // The coordinator's own record of the last key stays behind: no coordinator opens this file
        // again.
        let largest = try database.prepare("SELECT IFNULL(MAX(Z_PK), 0) FROM ZITEM")
        lastKey = try largest.step() ? largest.integer(0) : 0
    }

    mutating func insert(_ item: Item) throws {
        lastKey += 1
        insertion.bind(1, lastKey)
        insertion.bind(2, item.number)
        insertion.bind(3, item.category)
        insertion.bind(4, item.score)
        insertion.bind(5, item.code)
        insertion.bind(6, item.ratio)
        insertion.bind(7, item.amount)
        insertion.bind(8, item.name)
        insertion.bind(9, item.mail)
        insertion.bind(10, item.text)
        insertion.bind(11, item.date)
        try insertion.run()
    }

    func change(to item: Item) throws {
        update.bind(1, item.score)
        update.bind(2, item.name)
        update.bind(3, item.text)
        update.bind(4, item.number)
        try update.run()
    }

    func delete(number: Int64) throws {
        deletion.bind(1, number)
        try deletion.run()
    }
}
