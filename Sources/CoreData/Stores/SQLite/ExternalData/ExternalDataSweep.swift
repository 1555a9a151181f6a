import CSQLite
import Foundation

/// Removes files of external values that no row refers to: what a crash between a file and its
/// row left behind.
struct ExternalDataSweep {
    let connection: SQLiteConnection
    let file: StoreFile
    private var folder: ExternalDataFolder { file.externalData }

    init(_ connection: SQLiteConnection, _ file: StoreFile) {
        self.connection = connection
        self.file = file
    }

    /// Removes superfluous files, unless another store keeps files in the folder. Takes the write
    /// lock, so that no save is between writing its files and committing their rows.
    ///
    /// - Complexity: Reads all tables that have a column of blobs, if there are files at all.
    func run() throws {
        // Without files there is nothing to read the tables for; and another store's rows are not
        // asked here, so that its files would count as superfluous.
        guard try !folder.names().isEmpty, try !file.sharesExternalData else { return }
        try connection.transaction {
            // Again, with the lock: files may have come meanwhile.
            let names = Set(try folder.names())
            folder.remove(names.subtracting(try referencedNames()))
        }
    }

    /// Of all columns of blobs, whatever the model says of them by now.
    func referencedNames() throws -> Set<String> {
        let columns = try connection.statement(
            // Views and virtual tables have no root page, and what reading them runs need not end.
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
                + "WHERE m.type = 'table' AND m.rootpage > 0 AND upper(c.type) = 'BLOB'"
        )
        var places: [(table: String, column: String)] = []
        defer { columns.reset() }
        while try columns.step() { places.append((columns.text(0), columns.text(1))) }
        var names: Set<String> = []
        for (table, column) in places {
            // By its length first, so that large values of other kinds are not read.
            let column = SQLName.quoted(column)
            let values = try connection.statement(
                "SELECT \(column) FROM \(SQLName.quoted(table)) "
                    + "WHERE length(\(column)) = \(ExternalValue.referenceByteCount)"
            )
            defer { values.reset() }
            while try values.step() {
                if let name = ExternalValue.fileName(values.bytes(0)) { names.insert(name) }
            }
        }
        return names
    }
}
