import CSQLite

/// The key that a statement looks up next, as a table of SQL. A statement that joins it gives a row for
/// each key that it is asked for, and stays where it is until it is asked for another one.
///
/// A statement that is run anew for each key opens its table and takes memory for texts each time, and gives
/// both back at its end. This one does that once.
///
/// The table is there for SQL that the package writes. Read in any other way it is empty.
///
/// Source: "The Virtual Table Mechanism Of SQLite", sqlite.org/vtab.html.
///
/// > Threading: Confined to its connection's user.
struct NextKey {
    static let tableName = "MS_NEXT_KEY"

    private struct Asked {
        var key: Int64 = 0
        /// Whether no statement has taken it.
        var isWaiting = false
    }
    private struct Table: BeginsWithPart {
        var base = sqlite3_vtab()
        let asked: UnsafeMutablePointer<Asked>
    }
    private struct Cursor: BeginsWithPart {
        var base = sqlite3_vtab_cursor()
        let asked: UnsafeMutablePointer<Asked>
        var key: Int64 = 0
        var isAtEnd = true

        mutating func advance() {
            isAtEnd = !asked.pointee.isWaiting
            key = asked.pointee.key
            asked.pointee.isWaiting = false
        }
    }

    private let asked: UnsafeMutablePointer<Asked>

    /// Makes the table for the statements of a connection, which keeps what this refers to.
    init(on database: OpaquePointer) throws(SQLiteError) {
        asked = .allocate(capacity: 1)
        asked.initialize(to: Asked())
        // Statements may outlive the connection's owner: SQLite says when it needs this no more, also
        // if the call fails.
        let code = sqlite3_create_module_v2(database, Self.tableName, Self.module, asked) {
            $0?.deallocate()
        }
        guard code == SQLITE_OK else { throw SQLiteError(database, code: code) }
    }

    /// Asks the statement that is stepped next for the row of a key.
    @inline(__always) func ask(_ key: Int64) { asked.pointee = Asked(key: key, isWaiting: true) }

    // MARK: The module

    // Never written once it is made, and never freed: connections refer to it.
    private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        // Without `xCreate` there is one table, of the module's name, and no statement makes others.
        module.xConnect = { database, asked, _, _, table, _ in
            guard let asked else { return SQLITE_MISUSE }
            let code = sqlite3_declare_vtab(database, "CREATE TABLE keys (key INTEGER)")
            guard code == SQLITE_OK else { return code }
            table?.pointee = Table(asked: asked.assumingMemoryBound(to: Asked.self)).makePart()
            return SQLITE_OK
        }
        module.xDisconnect = { table in
            Table.whole(table).deallocate()
            return SQLITE_OK
        }
        module.xBestIndex = { _, plan in
            plan?.pointee.estimatedRows = 1
            plan?.pointee.estimatedCost = 1
            return SQLITE_OK
        }
        module.xOpen = { table, cursor in
            cursor?.pointee = Cursor(asked: Table.whole(table).pointee.asked).makePart()
            return SQLITE_OK
        }
        module.xClose = { cursor in
            Cursor.whole(cursor).deallocate()
            return SQLITE_OK
        }
        module.xFilter = { cursor, _, _, _, _ in
            Cursor.whole(cursor).pointee.advance()
            return SQLITE_OK
        }
        module.xNext = { cursor in
            Cursor.whole(cursor).pointee.advance()
            return SQLITE_OK
        }
        module.xEof = { Cursor.whole($0).pointee.isAtEnd ? 1 : 0 }
        module.xColumn = { cursor, context, _ in
            sqlite3_result_int64(context, Cursor.whole(cursor).pointee.key)
            return SQLITE_OK
        }
        module.xRowid = { cursor, number in
            number?.pointee = Cursor.whole(cursor).pointee.key
            return SQLITE_OK
        }
        let place = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        place.initialize(to: module)
        return UnsafePointer(place)
    }()
}

/// A record that begins with a part of SQLite's, which is all that SQLite knows of it.
private protocol BeginsWithPart {
    associatedtype Part
    var base: Part { get }
}

extension BeginsWithPart {
    /// Puts the record in memory of its own, and returns the part.
    func makePart() -> UnsafeMutablePointer<Part> {
        let made = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        made.initialize(to: self)
        return UnsafeMutableRawPointer(made).assumingMemoryBound(to: Part.self)
    }

    /// The record that a part belongs to.
    @inline(__always) static func whole(
        _ part: UnsafeMutablePointer<Part>?
    ) -> UnsafeMutablePointer<Self> {
        guard let part else { fatalError("SQLite names the table or cursor in each of its calls.") }
        return UnsafeMutableRawPointer(part).assumingMemoryBound(to: Self.self)
    }
}
