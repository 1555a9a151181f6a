extension StoreSchema {
    /// The statements that make a new store's tables, indexes and triggers, as Apple's framework writes
    /// them.
    func definitions() -> [String] {
        // Tables before what refers to them: indexes, then triggers.
        tableDefinitions(of: tables, joinTables) + indexDefinitions().map(\.sql)
            + derivationTriggers() + Self.bookkeeping
    }

    /// The statements that make some of the tables.
    func tableDefinitions(of tables: [EntityTable], _ joins: [JoinTable]) -> [String] {
        tables.map(definition) + joins.map(definition)
    }

    /// The indexes of all tables.
    func indexDefinitions() -> [IndexDefinition] {
        tables.flatMap(keyIndexes) + joinTables.map(indexDefinition)
            + members.flatMap(uniqueIndexes) + members.flatMap(fetchIndexes)
    }

    /// The statement that makes an index, and what it is about.
    struct IndexDefinition {
        let name: String
        let sql: String
        /// The entity that asks for it; empty for an index of a table's own.
        var entity = ""
        /// The attributes that are unique together.
        var keys: [String] = []
    }

    private static let bookkeeping = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, "
            + "Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), "
            + "Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    private func definition(_ table: EntityTable) -> String {
        let columns =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + table.columns.map { "\(SQLName.plain($0.name)) \($0.declaredType)" }
        return "CREATE TABLE \(SQLName.plain(table.name)) "
            + "( \(columns.joined(separator: ", ")) )"
    }

    private func definition(_ join: JoinTable) -> String {
        // The primary key of both columns makes each link unique, so that inserting one twice can
        // be ignored.
        let source = SQLName.plain(join.sourceColumn)
        let destination = SQLName.plain(join.destinationColumn)
        let columns =
            [source, destination]
            + [join.sourceOrderColumn, join.destinationOrderColumn].compactMap { name in
                name.map(SQLName.plain)
            }
        return "CREATE TABLE \(SQLName.plain(join.name)) ( "
            + columns.map { "\($0) INTEGER" }.joined(separator: ", ")
            + ", PRIMARY KEY (\(source), \(destination)) )"
    }

    private func indexDefinition(_ join: JoinTable) -> IndexDefinition {
        let name = "\(join.name)_\(join.destinationColumn)_INDEX"
        // The primary key serves one direction. This index serves the other, by itself: it has both
        // columns, so that the table need not be read.
        return IndexDefinition(
            name: name,
            sql: "CREATE INDEX \(SQLName.plain(name)) ON \(SQLName.plain(join.name)) "
                + "(\(SQLName.plain(join.destinationColumn)), \(SQLName.plain(join.sourceColumn)))"
        )
    }

    /// Of keys that lead to other rows, and of the entity where a table has several.
    private func keyIndexes(_ table: EntityTable) -> [IndexDefinition] {
        var columns = table.columns.compactMap { column -> String? in
            switch column.role {
            case .value(let place):
                let kind = model.entities[place.entity].slots[place.slot].kind
                return kind == .toOne ? column.name : nil
            case .owner: return column.name
            case .element, .destinationEntity, .order, .ownerOrder: return nil
            }
        }
        if model.entities[table.rootIndex].hasSubentities { columns.append("Z_ENT") }
        return columns.map { column in
            let name = "\(table.name)_\(column)_INDEX"
            return IndexDefinition(
                name: name,
                sql: "CREATE INDEX \(SQLName.plain(name)) "
                    + "ON \(SQLName.plain(table.name)) (\(SQLName.plain(column)))"
            )
        }
    }

    private func uniqueIndexes(_ entity: EntityLayout) -> [IndexDefinition] {
        uniquenessConstraints(of: entity).compactMap { keys in
            let name = "Z_\(entity.name)_UNIQUE_\(keys.joined(separator: "_"))"
            return index(name, on: entity, keys.map { ($0, true) }, isUnique: true)
        }
    }

    /// An index over attributes; nil if one of them has no column.
    private func index(
        _ name: String,
        on entity: EntityLayout,
        _ keys: [(name: String, isAscending: Bool)],
        isUnique: Bool = false
    ) -> IndexDefinition? {
        guard let table = entityTable(rootIndex: entity.rootIndex), !keys.isEmpty else {
            return nil
        }
        let columns = keys.compactMap { key -> String? in
            guard let slot = entity.slot(named: key.name),
                let column = self.columns(entity, slot.index).value
            else { return nil }
            return "\(SQLName.plain(column)) COLLATE BINARY \(key.isAscending ? "ASC" : "DESC")"
        }
        // An index over some of the keys would be another constraint, and could refuse rows that
        // are allowed.
        guard columns.count == keys.count else { return nil }
        return IndexDefinition(
            name: name,
            sql: "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLName.plain(name)) "
                + "ON \(SQLName.plain(table.name)) (\(columns.joined(separator: ", ")))",
            entity: entity.name,
            keys: keys.map(\.name)
        )
    }

    /// Indexes that the model asks for; none of them changes what requests find, so those that
    /// cannot be made (over values without a column) are left out.
    private func fetchIndexes(_ entity: EntityLayout) -> [IndexDefinition] {
        // Apple's stores have such an index beside a described one of a single attribute.
        let alone = Set(
            entity.entity.indexes.filter { $0.elements.count == 1 }
                .compactMap { $0.elements.first?.propertyName }
        )
        let attributes = entity.slots.filter { slot in
            slot.declaringEntityIndex == entity.index && !slot.isRelationship
                && (slot.property.isIndexed || alone.contains(slot.name))
        }
        let single = attributes.compactMap { slot in
            index("Z_\(entity.name)_\(slot.name)", on: entity, [(slot.name, true)])
        }
        // Models that were read have an index of the attribute's name in their list.
        let taken = Set(attributes.map(\.name))
        let others = (entity.entity.indexes + entity.entity.impliedCompoundIndexes)
            .filter { !taken.contains($0.name) }
        let described = others.compactMap { description in
            index(
                "Z_\(entity.name)_\(description.name)",
                on: entity,
                description.elements.map { ($0.propertyName ?? "", $0.isAscending) }
            )
        }
        return single + described
    }

    /// The constraints that an entity declares, as attribute names.
    func uniquenessConstraints(of entity: EntityLayout) -> [[String]] {
        entity.entity.uniquenessConstraints.map { constraint in
            constraint.compactMap { element in
                (element as? String) ?? (element as? NSPropertyDescription)?.name
            }
        }
    }
}
