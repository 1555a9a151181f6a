#if PostgreSQL
import Foundation

/// What is read of each table, in the order in which `ReplicaTables` binds it.
extension ServerSchema {
    /// All columns of a table, beginning with the key.
    func columns(_ table: Table) -> [Column] {
        ["Z_PK", "Z_ENT", "Z_OPT"].map(Self.integer) + table.columns
            + table.memberColumns.map(Self.integer)
    }

    /// All columns of a join table, beginning with both keys.
    func columns(_ join: JoinTable) -> [Column] {
        ([join.sourceColumn, join.destinationColumn]
            + [join.sourceOrderColumn, join.destinationOrderColumn].compactMap(\.self))
            .map(Self.integer)
    }

    func selection(_ table: Table) -> String { selection(columns(table), table.name) }

    func selection(_ join: JoinTable) -> String { selection(columns(join), join.name) }

    /// Of members whose rows have their owner's key: key, owner and place. Nil for those in a join
    /// table, and for those whose rows say it all.
    func selection(_ access: ToManyAccess) -> String? {
        switch access {
        case .foreignKey(let table, let column, let order?):
            selection(["Z_PK", column, order].map(Self.integer), table)
        case .ownerKey(let table, let column, let order):
            selection((["Z_PK", column] + [order].compactMap(\.self)).map(Self.integer), table)
        case .foreignKey, .join: nil
        }
    }

    static func integer(_ name: String) -> Column {
        Column(name: name, type: .integer, isExternal: false)
    }

    private func selection(_ columns: [Column], _ table: String) -> String {
        "SELECT \(columns.map { Self.quoted($0.name) }.joined(separator: ", ")) FROM \(path(table))"
    }
}
#endif
