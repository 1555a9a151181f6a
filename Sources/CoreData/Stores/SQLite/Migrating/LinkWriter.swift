/// Brings the links between rows over where keys can't be copied with the rows: another form of
/// relationship, another inverse, join tables.
///
/// The links of one relationship are collected in a temporary table of pairs of keys, with their
/// places in the collections of either side, and then written in the destination's form.
struct LinkWriter {
    private let migration: StoreMigration
    private var plan: SchemaMigration { migration.plan }
    private var destination: StoreSchema { plan.destination }

    init(_ migration: StoreMigration) { self.migration = migration }

    /// - Parameter joins: The join tables that are new and empty.
    func run(joins: [JoinTable]) throws {
        for link in plan.links where !link.isDirect && !link.sources.isEmpty {
            let join = joins.first { link.places.contains($0.owner) }
            // The table stayed as it is, with its links.
            if link.form == .join, join == nil { continue }
            try execute(
                "CREATE TEMP TABLE links (own INTEGER, other INTEGER, own_place INTEGER, "
                    + "other_place INTEGER)"
            )
            for source in link.sources { try collect(source, link) }
            try reduce(link)
            try write(link, join)
            try execute("DROP TABLE temp.links")
        }
        // Links lead nowhere only where an entity has vanished with its rows.
        if !plan.match.removed.isEmpty { try cutDanglingKeys() }
        // Last, when all keys are final: places are numbered within one owner.
        for table in destination.tables { try numberPlaces(in: table) }
    }

    private func execute(_ sql: String) throws { try migration.connection.execute(sql) }

    // MARK: Collecting

    /// Adds the links of one of the source's relationships between rows that are still there.
    private func collect(_ source: DeclaredSlot, _ link: LinkMigration) throws {
        guard let query = pairs(source) else { return }
        let pairs =
            link.isTurned
            ? "SELECT other AS own, own AS other, other_place AS own_place, "
                + "own_place AS other_place FROM (\(query))"
            : query
        let (own, other) = ends(link)
        try execute(
            // The order of insertion is the order of row IDs, by which `reduce` decides which link
            // stays.
            "INSERT INTO temp.links SELECT own, other, own_place, other_place FROM (\(pairs)) "
                + "AS pairs WHERE \(exists("pairs.own", own)) "
                + "AND \(exists("pairs.other", other)) ORDER BY own, own_place, other"
        )
    }

    /// SQL for the links of a source's relationship, as the relationship sees them.
    private func pairs(_ place: DeclaredSlot) -> String? {
        let layout = plan.source.model.entities[place.entity]
        let slot = layout.slots[place.slot]
        if slot.isToMany { return plan.source.toManyAccess[place].map { pairs($0, slot) } }
        // From the to-one's side the only place is that in the inverse's collection.
        let columns = plan.source.columns(layout, slot.index)
        guard let key = columns.value,
            let table = plan.source.entityTable(rootIndex: layout.rootIndex)
        else { return nil }
        return "SELECT Z_PK AS own, \(SQLName.quoted(key)) AS other, NULL AS own_place, "
            + "\(columns.order.map(SQLName.quoted) ?? "NULL") AS other_place "
            + "FROM \(migration.oldName(table.name)) WHERE \(SQLName.quoted(key)) IS NOT NULL "
            + "AND \(plan.source.entityCondition(layout))"
    }

    private func pairs(_ access: ToManyAccess, _ slot: PropertySlot) -> String {
        switch access {
        case .foreignKey(let table, let column, let order),
            .ownerKey(let table, let column, let order):
            return "SELECT \(SQLName.quoted(column)) AS own, Z_PK AS other, "
                + "\(order.map(SQLName.quoted) ?? "NULL") AS own_place, NULL AS other_place "
                + "FROM \(migration.oldName(table)) WHERE \(SQLName.quoted(column)) IS NOT NULL"
        case .join(let table, let own, let other, let order, _):
            var back: String?
            if let inverse = plan.source.inverse(of: slot),
                case .join(_, _, _, let inverseOrder, _)? = plan.source.toManyAccess[inverse]
            {
                back = inverseOrder
            }
            return "SELECT \(SQLName.quoted(own)) AS own, \(SQLName.quoted(other)) AS other, "
                + "\(order.map(SQLName.quoted) ?? "NULL") AS own_place, "
                + "\(back.map(SQLName.quoted) ?? "NULL") AS other_place "
                + "FROM \(migration.oldName(table))"
        }
    }

    /// The entities at both ends of a link: that with the relationship, and its destination.
    private func ends(_ link: LinkMigration) -> (own: EntityLayout, other: EntityLayout) {
        let own = destination.model.entities[link.place.entity]
        let slot = own.slots[link.place.slot]
        return (own, destination.model.entities[slot.destinationIndex])
    }

    private func exists(_ key: String, _ layout: EntityLayout) -> String {
        guard let table = destination.entityTable(rootIndex: layout.rootIndex) else { return "0" }
        return "EXISTS (SELECT 1 FROM \(SQLName.quoted(table.name)) WHERE Z_PK = \(key) "
            + "AND \(destination.entityCondition(layout)))"
    }

    // MARK: Writing

    /// Leaves one link where the destination allows only one: the first by place, then by key.
    private func reduce(_ link: LinkMigration) throws {
        let ends: [String] =
            switch link.form {
            case .key: ["own"]
            case .keyPair: ["own", "other"]
            case .ownerKey: ["other"]
            case .join: []
            }
        for end in ends {
            try execute(
                "DELETE FROM temp.links WHERE rowid NOT IN "
                    + "(SELECT min(rowid) FROM temp.links GROUP BY \(end))"
            )
        }
    }

    private func write(_ link: LinkMigration, _ join: JoinTable?) throws {
        let (own, other) = ends(link)
        switch link.form {
        case .key:
            try writeKeys(link.place, in: own, to: other, isTurned: false)
        case .keyPair:
            try writeKeys(link.place, in: own, to: other, isTurned: false)
            if let inverse = link.inverse {
                try writeKeys(inverse, in: other, to: own, isTurned: true)
            }
        case .ownerKey:
            guard
                case .ownerKey(let table, let column, let order)? =
                    destination.toManyAccess[link.place]
            else { return }
            // Without it, each row of the table would scan all links.
            try execute("CREATE INDEX temp.links_other ON links (other)")
            try execute(
                "UPDATE \(SQLName.quoted(table)) SET "
                    + ([(column, "own")] + (order.map { [($0, "own_place")] } ?? []))
                    .map {
                        "\(SQLName.quoted($0)) = (SELECT \($1) FROM temp.links WHERE other = Z_PK)"
                    }
                    .joined(separator: ", ") + " WHERE Z_PK IN (SELECT other FROM temp.links)"
            )
        case .join:
            if let join { try write(join, isTurned: link.place != join.owner) }
        }
    }

    /// Writes the keys of a to-one into the rows that have it.
    private func writeKeys(
        _ place: DeclaredSlot,
        in layout: EntityLayout,
        to other: EntityLayout,
        isTurned: Bool
    ) throws {
        let columns = destination.columns(destination.model.entities[place.entity], place.slot)
        guard let key = columns.value,
            let table = destination.entityTable(rootIndex: layout.rootIndex),
            let otherTable = destination.entityTable(rootIndex: other.rootIndex)
        else { return }
        let (own, target) = isTurned ? ("other", "own") : ("own", "other")
        let row = "FROM temp.links WHERE \(own) = \(SQLName.quoted(table.name)).Z_PK"
        var assignments = ["\(SQLName.quoted(key)) = (SELECT \(target) \(row))"]
        // The links know keys only; of which entity the other object is, its row says.
        if let column = columns.destinationEntity {
            assignments.append(
                "\(SQLName.quoted(column)) = (SELECT (SELECT Z_ENT FROM "
                    + "\(SQLName.quoted(otherTable.name)) WHERE Z_PK = \(target)) \(row))"
            )
        }
        if let column = columns.order {
            assignments.append("\(SQLName.quoted(column)) = (SELECT other_place \(row))")
        }
        try execute("CREATE INDEX IF NOT EXISTS temp.links_\(own) ON links (\(own))")
        try execute(
            "UPDATE \(SQLName.quoted(table.name)) SET \(assignments.joined(separator: ", ")) "
                + "WHERE Z_PK IN (SELECT \(own) FROM temp.links)"
        )
    }

    private func write(_ join: JoinTable, isTurned: Bool) throws {
        let (source, target) = isTurned ? ("other", "own") : ("own", "other")
        var columns = [(join.sourceColumn, source), (join.destinationColumn, target)]
        // The place in the owner's collection, whose objects are in the source column.
        if let order = join.destinationOrderColumn { columns.append((order, place(in: source))) }
        if let order = join.sourceOrderColumn { columns.append((order, place(in: target))) }
        // Several sources may have had the same link, which the table's primary key allows once.
        let names = columns.map { SQLName.quoted($0.0) }.joined(separator: ", ")
        func insert(_ values: [String]) throws {
            try execute(
                "INSERT OR IGNORE INTO \(SQLName.quoted(join.name)) (\(names)) "
                    + "SELECT \(values.joined(separator: ", ")) FROM temp.links"
            )
        }
        try insert(columns.map(\.1))
        // A relationship that is its own inverse has each link both ways.
        if join.isReflexive { try insert([target, source] + columns.dropFirst(2).map(\.1)) }
    }

    /// The place in the collection of the object at one end; in the order of keys, if there was
    /// no order.
    private func place(in end: String) -> String {
        let other = end == "own" ? "other" : "own"
        return "1024 + 1024 * row_number() OVER "
            + "(PARTITION BY \(end) ORDER BY \(end)_place IS NULL, \(end)_place, \(other))"
    }

    // MARK: Afterwards

    /// Empties keys that lead to rows that are not there any more.
    private func cutDanglingKeys() throws {
        for table in destination.tables {
            for column in table.columns {
                let place: DeclaredSlot
                let target: EntityLayout
                switch column.role {
                case .value(let value):
                    place = value
                    let slot = destination.model.entities[place.entity].slots[place.slot]
                    guard slot.isRelationship else { continue }
                    target = destination.model.entities[slot.destinationIndex]
                case .owner(let owner):
                    place = owner
                    target = destination.model.entities[owner.entity]
                // Emptied with the key that they belong to.
                case .element, .destinationEntity, .order, .ownerOrder: continue
                }
                // A place or an entity number without its key would say something of a link that is
                // not there.
                let names = columns(of: place, beside: column, in: table)
                try execute(
                    "UPDATE \(SQLName.quoted(table.name)) SET "
                        + names.map { "\(SQLName.quoted($0)) = NULL" }.joined(separator: ", ")
                        + " WHERE \(SQLName.quoted(column.name)) IS NOT NULL AND NOT "
                        + exists(
                            "\(SQLName.quoted(table.name)).\(SQLName.quoted(column.name))",
                            target
                        )
                )
            }
        }
    }

    /// A key's column with those that say more of the same link.
    private func columns(
        of place: DeclaredSlot,
        beside key: EntityColumn,
        in table: EntityTable
    ) -> [String] {
        table.columns.filter { column in
            switch (key.role, column.role) {
            case (.value, .value(let other)), (.value, .destinationEntity(let other)),
                (.value, .order(let other)), (.owner, .owner(let other)),
                (.owner, .ownerOrder(let other)):
                return other == place
            default: return false
            }
        }.map(\.name)
    }

    /// Gives each object of an ordered collection a place, in the order of keys where there was
    /// none.
    private func numberPlaces(in table: EntityTable) throws {
        for column in table.columns {
            let role: EntityColumn.Role
            switch column.role {
            case .order(let place): role = .value(place)
            case .ownerOrder(let place): role = .owner(place)
            case .value, .element, .destinationEntity, .owner: continue
            }
            guard let key = table.columns.first(where: { $0.role == role }) else { continue }
            let name = SQLName.quoted(table.name)
            let owner = SQLName.quoted(key.name)
            let order = SQLName.quoted(column.name)
            try execute(
                // Only collections in which a place is missing: all others keep theirs.
                "UPDATE \(name) SET \(order) = 1024 + 1024 * ranks.rank FROM (SELECT Z_PK AS row, "
                    + "row_number() OVER (PARTITION BY \(owner) "
                    + "ORDER BY \(order) IS NULL, \(order), Z_PK) AS rank FROM \(name) "
                    + "WHERE \(owner) IN (SELECT \(owner) FROM \(name) WHERE \(owner) IS NOT NULL "
                    + "AND \(order) IS NULL)) AS ranks WHERE ranks.row = \(name).Z_PK"
            )
        }
    }
}
