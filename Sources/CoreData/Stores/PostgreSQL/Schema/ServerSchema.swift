#if PostgreSQL
import Foundation

/// The tables of a store on a server: the entities' under the names that they have in an SQLite
/// store, in a schema of the store's own.
struct ServerSchema: Sendable {
    /// A column whose values come with their rows.
    struct Column: Sendable {
        let name: String
        let type: PostgreSQLType
        /// Whether SQLite has the values in the form of `ExternalValue`; a server has them as they
        /// are.
        let isExternal: Bool
    }
    /// The table of an inheritance tree.
    struct Table: Sendable {
        let rootIndex: Int
        let name: String
        /// Beside key, entity and version: what the rows themselves say.
        let columns: [Column]
        /// What to-many relationships keep in their members' rows: owners' keys, and places in
        /// ordered ones. A row's version says nothing of these.
        let memberColumns: [String]
    }

    /// The name of the schema.
    let name: String
    /// Has the names of the store's tables and columns.
    let store: StoreSchema
    let tables: [Table]

    init(name: String, store: StoreSchema) {
        self.name = name
        self.store = store
        tables = store.tables.map { Self.table($0, store) }
    }

    private static func table(_ table: EntityTable, _ store: StoreSchema) -> Table {
        var columns: [Column] = []
        var memberColumns: [String] = []
        for column in table.columns {
            switch column.role {
            case .value(let place):
                // Counted from what each replica has: a count of this one's would be wrong as soon
                // as another one has added a row.
                guard !store.isKeptByTriggers(place) else { continue }
                let slot = store.model.entities[place.entity].slots[place.slot]
                columns.append(self.column(column, isExternal: slot.allowsExternalStorage))
            case .element, .destinationEntity:
                columns.append(self.column(column, isExternal: false))
            case .order, .owner, .ownerOrder: memberColumns.append(column.name)
            }
        }
        return Table(
            rootIndex: table.rootIndex,
            name: table.name,
            columns: columns,
            memberColumns: memberColumns
        )
    }

    private static func column(_ column: EntityColumn, isExternal: Bool) -> Column {
        let type: PostgreSQLType =
            switch column.declaredType {
            case "FLOAT", "TIMESTAMP": .real
            // SQLite makes numbers of decimal texts where it can do so without loss.
            case "VARCHAR", "DECIMAL": .text
            case "BLOB": .bytes
            default: .integer
            }
        return Column(name: column.name, type: type, isExternal: isExternal)
    }

    func table(rootIndex: Int) -> Table? { tables.first { $0.rootIndex == rootIndex } }

    /// A name of the schema, quoted.
    func path(_ name: String) -> String { Self.path(self.name, name) }

    /// A name of a schema, quoted.
    static func path(_ schema: String, _ name: String) -> String {
        "\(quoted(schema)).\(quoted(name))"
    }

    /// A name in quotes: without them a server makes small letters of capitals.
    static func quoted(_ name: String) -> String {
        // Hardly a name has one, and statements are made of many names.
        name.utf8.contains(UInt8(ascii: "\""))
            ? "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : "\"\(name)\""
    }

    /// The sequence that gives keys for the rows of a tree.
    func keySequence(rootIndex: Int) -> String { path("z_keys_\(store.numbers[rootIndex])") }

    /// What is notified when the feed has something new.
    var channel: String { "mergestack_" + name }
}
#endif
