import CSQLite
import Foundation

/// How to read the rows of an entity: the columns that a statement selects, and a decoder for
/// each entity that a row may be of.
///
/// > Threading: Immutable; any thread.
final class RowPlan: @unchecked Sendable {
    // @unchecked: values over immutable layouts.

    let layout: EntityLayout
    let tableName: String
    /// `alias.column, …`, beginning with key, entity and version.
    let selectList: String
    /// What holds for the rows of the entity; nil if it holds for all of the table.
    let entityCondition: String?
    /// `FROM table AS alias`.
    let fromClause: String
    /// Reads the row of one key, if it is of the entity.
    let byKeySQL: String
    /// The same for one key after the other, see `NextKey`.
    let byNextKeySQL: String
    private let decoders: ContiguousArray<RowDecoder?>
    private let members: [EntityLayout]
    private let followsOtherRows: Bool
    private let url: URL

    /// The name by which statements refer to the table.
    static let alias = "t0"

    init(_ layout: EntityLayout, includesSubentities: Bool, schema: StoreSchema, file: StoreFile) {
        self.layout = layout
        url = file.url
        members = schema.members
        tableName = schema.entityTable(rootIndex: layout.rootIndex)?.name ?? ""
        let last = includesSubentities ? layout.lastDescendantIndex : layout.index
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var columnIndex: [String: Int32] = [:]
        for entity in layout.index...last {
            for names in schema.slotColumns[entity] {
                for name in names.contents
                // Inherited columns come again with each subentity.
                where columnIndex[name] == nil {
                    columnIndex[name] = Int32(columns.count)
                    columns.append(name)
                }
            }
        }
        selectList = columns.map { "\(Self.alias).\(SQLName.quoted($0))" }.joined(separator: ", ")
        entityCondition = Self.condition(layout, last: last, schema: schema)
        fromClause = "FROM \(SQLName.quoted(tableName)) AS \(Self.alias)"
        let andOfEntity = entityCondition.map { " AND \($0)" } ?? ""
        byKeySQL =
            "SELECT \(selectList) \(fromClause) WHERE \(Self.alias).Z_PK = ?\(andOfEntity)"
        // `CROSS JOIN` has the key come first, whatever SQLite makes of the table's size.
        byNextKeySQL =
            "SELECT \(selectList) FROM \(NextKey.tableName) AS next "
            + "CROSS JOIN \(SQLName.quoted(tableName)) AS \(Self.alias) "
            + "WHERE \(Self.alias).Z_PK = next.key\(andOfEntity)"
        decoders = ContiguousArray(
            (layout.index...last).map { index in
                guard schema.numbers[index] > 0 else { return nil }
                return RowDecoder(
                    schema.model.entities[index],
                    schema: schema,
                    columnIndex: columnIndex,
                    file: file
                )
            }
        )
        followsOtherRows = decoders.contains { $0?.followsOtherRows == true }
    }

    private static func condition(_ layout: EntityLayout, last: Int, schema: StoreSchema) -> String?
    {
        // All rows of the table are of the tree. Without a condition those of a table with one
        // entity are found whatever number they bear, see `onlyEntity`.
        if layout.isRoot, last == layout.lastDescendantIndex { return nil }
        let first = schema.numbers[layout.index]
        // Numbers are consecutive in pre-order; entities that the store lacks have none.
        let count = (layout.index...last).count { schema.numbers[$0] > 0 }
        return count == 1
            ? "\(alias).Z_ENT = \(first)"
            : "\(alias).Z_ENT BETWEEN \(first) AND \(first + count - 1)"
    }

    /// The row of the statement's current step. If the cache has it in the same version, that one
    /// is taken, so that all contexts share it and nothing is decoded twice. The cache does not take
    /// it in by this.
    ///
    /// - Parameters:
    ///   - cache: nil if it has none of the rows.
    ///   - allocator: Who has memory for many rows; nil for a single row.
    @inline(__always) func row(
        _ statement: SQLiteStatement,
        cache: RowCache?,
        in allocator: SlabAllocator? = nil
    ) throws -> Row {
        let values = ResultRow(statement.handle)
        let key = values.integer(0)
        let entity = try entityIndex(values.integer(1), key)
        let number = values.integer(2)
        let version = Int32(truncatingIfNeeded: number)
        guard Int64(version) == number else { throw impossibleVersion(key) }
        // The same version has the same content, but for what triggers make of other rows.
        if let row = cache?.row(key, version: version), row.entityIndex == entity,
            try !followsOtherRows || isUpToDate(row, statement)
        {
            return row
        }
        guard let decoder = decoders[entity - layout.index] else {
            throw unknownEntity(key)
        }
        return try decoder.row(statement, values, key, version, in: allocator)
    }

    @inline(never) private func isUpToDate(
        _ row: Row,
        _ statement: SQLiteStatement
    ) throws -> Bool {
        try decoders[row.entityIndex - layout.index]?.isUpToDate(row, statement) ?? false
    }

    /// The reference that columns hold: key, entity number.
    @inline(__always) func reference(_ statement: SQLiteStatement) throws -> RowReference {
        let key = statement.integer(0)
        return RowReference(
            entityIndex: try entityIndex(statement.integer(1), key),
            primaryKey: key
        )
    }

    @inline(__always) private func entityIndex(_ number: Int64, _ key: Int64) throws -> Int {
        // What a file says may be anything, and an index beyond the members would stop the process.
        guard key >= 1, key <= RowReference.maximumPrimaryKey, number >= 1,
            number <= members.count
        else { return try onlyEntity(key) }
        let index = members[Int(number) - 1].index
        guard index >= layout.index, index - layout.index < decoders.count else {
            return try onlyEntity(key)
        }
        return index
    }

    /// The entity of a row whose number says nothing: a table of one entity has no other.
    @inline(never) private func onlyEntity(_ key: Int64) throws -> Int {
        guard layout.isRoot, !layout.hasSubentities, key >= 1,
            key <= RowReference.maximumPrimaryKey
        else { throw unknownEntity(key) }
        return layout.index
    }

    @inline(never) private func impossibleVersion(_ key: Int64) -> CocoaError {
        .corruptFile(url, "the row \(key) of the table \(tableName) has an impossible version")
    }

    @inline(never) private func unknownEntity(_ key: Int64) -> CocoaError {
        .corruptFile(
            url,
            "the row \(key) of the table \(tableName) has an impossible key or an entity number "
                + "that is not one of \(layout.name)"
        )
    }
}
