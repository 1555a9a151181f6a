/// From the tables of one version of a model to those of a later one: which rows and columns go
/// where.
///
/// Rows keep their primary keys. All is worked out before the first statement runs.
struct SchemaMigration {
    /// An entity in both versions.
    struct Pair {
        let source: EntityLayout
        let destination: EntityLayout
        /// By the destination's slot, what the source has for it.
        let sourceSlots: [PropertySlot?]
    }

    /// With the names that the file has.
    let source: StoreSchema
    /// With the names that a new store has.
    let destination: StoreSchema
    let match: ModelMatch
    /// In the order of the destination's numbers.
    let pairs: [Pair]
    /// The destination's relationships that rows keep, with their inverses.
    let links: [LinkMigration]
    /// By the relationship that they are about: the destination's.
    private let linksByPlace: [DeclaredSlot: LinkMigration]

    init(from source: StoreSchema, to destination: StoreSchema) {
        self.source = source
        self.destination = destination
        let match = ModelMatch(
            source: source.members.map(\.entity),
            destination: destination.members.map(\.entity)
        )
        let pairs = destination.members.compactMap { layout -> Pair? in
            guard let pair = match.pair(ofDestination: layout.name),
                let from = source.model.entitiesByName[pair.source.currentName]
            else { return nil }
            return Pair(
                source: from,
                destination: layout,
                sourceSlots: layout.slots.map { slot in
                    pair.sourceProperties[slot.name].flatMap { from.slot(named: $0.name) }
                }
            )
        }
        self.match = match
        self.pairs = pairs
        links = LinkMigration.all(from: source, to: destination, pairs: pairs)
        linksByPlace = Dictionary(
            links.flatMap { link in link.places.map { ($0, link) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The relationship with what is known of its links.
    func link(_ place: DeclaredSlot) -> LinkMigration? { linksByPlace[place] }

    /// The pairs whose rows a table of the destination has.
    func pairs(in table: EntityTable) -> [Pair] {
        pairs.filter { $0.destination.rootIndex == table.rootIndex }
    }

    // MARK: Numbers

    func sourceNumber(_ pair: Pair) -> Int { source.numbers[pair.source.index] }
    func destinationNumber(_ pair: Pair) -> Int { destination.numbers[pair.destination.index] }

    /// SQL for the destination's number of an entity, from SQL for the source's.
    func renumbered(_ number: String) -> String {
        let moved = pairs.filter { sourceNumber($0) != destinationNumber($0) }
        guard !moved.isEmpty else { return number }
        let cases = moved.map { "WHEN \(sourceNumber($0)) THEN \(destinationNumber($0))" }
        // One expression for all entities: two may have exchanged their numbers, and statements one
        // after the other would mix up their rows.
        return "CASE \(number) \(cases.joined(separator: " ")) ELSE \(number) END"
    }

    // MARK: Tables that stay

    /// Whether all rows of a destination's table stand in the source's table of that name just as
    /// they should.
    func keeps(_ table: EntityTable) -> Bool {
        guard let old = source.tables.first(where: { $0.name == table.name }),
            // Regardless of the order, which columns of a migrated table have lost anyway: they are
            // read by name.
            Set(old.columns.map(\.signature)) == Set(table.columns.map(\.signature))
        else { return false }
        let oldMembers = source.members.filter { $0.rootIndex == old.rootIndex }
        let pairs = pairs(in: table)
        // Rows of an entity that has vanished would stay in the table, under a number that may be
        // given anew.
        guard pairs.count == oldMembers.count,
            pairs.allSatisfy({
                $0.source.rootIndex == old.rootIndex && sourceNumber($0) == destinationNumber($0)
            })
        else { return false }
        return pairs.allSatisfy { pair in
            table.columns.allSatisfy { column in
                guard let content = content(of: column, for: pair) else {
                    // A column that is to be empty could hold what another property has left.
                    return !hasContent(in: column.name, of: pair.source)
                }
                return content == SQLFragment(SQLName.quoted(column.name))
            }
        }
    }

    /// Whether rows of a source's entity may have something in a column.
    private func hasContent(in column: String, of layout: EntityLayout) -> Bool {
        source.slotColumns[layout.index].contains { columns in
            columns.contents.contains(column) || columns.order == column
        }
            || source.toManyAccess.values.contains { access in
                guard case .ownerKey(_, let name, let order) = access else { return false }
                return name == column || order == column
            }
    }

    /// Whether a join table stands in the source just as it should.
    func keeps(_ join: JoinTable) -> Bool {
        // Its links may lead to rows that vanish or that the relationship excludes.
        guard match.removed.isEmpty, let link = link(join.owner), link.sources.count == 1,
            !link.isNarrowed,
            let old = source.joinTables.first(where: { $0.name == join.name })
        else { return false }
        let isTurned = link.place != join.owner
        return link.sources.first == (isTurned ? old.inverse : old.owner)
            && old.sourceColumn == join.sourceColumn
            && old.destinationColumn == join.destinationColumn
            && old.sourceOrderColumn == join.sourceOrderColumn
            && old.destinationOrderColumn == join.destinationOrderColumn
    }
}

extension EntityColumn {
    /// Name and type.
    fileprivate var signature: [String] { [name, declaredType] }
}
