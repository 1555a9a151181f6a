/// What a model becomes in a store: entity numbers, tables, columns and join tables.
///
/// Made from the model, it has the names that a new store gets. `resolved(in:)` replaces them by
/// those that an existing store has.
struct StoreSchema: @unchecked Sendable {
    // @unchecked: values over immutable layouts.

    let model: ModelLayout
    /// The entities of the store's configuration, in the order of their numbers.
    let members: [EntityLayout]
    /// `Z_ENT` by layout index; 0 for entities that the store does not have.
    let numbers: [Int]
    var tables: [EntityTable]
    var joinTables: [JoinTable]
    /// By layout index and slot.
    private(set) var slotColumns: [[SlotColumns]] = []
    /// Of each member's own to-many relationships.
    private(set) var toManyAccess: [DeclaredSlot: ToManyAccess] = [:]
    private var tableIndexByRoot: [Int: Int]

    init(model: ModelLayout, entities: [EntityLayout]) {
        self.model = model
        // Layouts are in pre-order, and numbers follow them without gaps: an entity and all that
        // inherit from it have one range of numbers, which conditions on `Z_ENT` rely on.
        members = entities.sorted { $0.index < $1.index }
        var numbers = [Int](repeating: 0, count: model.entities.count)
        for (place, entity) in members.enumerated() { numbers[entity.index] = place + 1 }
        self.numbers = numbers
        let plan = SchemaPlan(model: model, members: members, numbers: numbers)
        tables = plan.makeTables()
        joinTables = plan.makeJoinTables()
        // Places in `tables`, which stay as they are: resolving renames columns and neither adds
        // nor moves tables.
        tableIndexByRoot = Dictionary(
            tables.enumerated().map { ($1.rootIndex, $0) },
            uniquingKeysWith: { $1 }
        )
        index()
    }

    /// The layout index for an entity number of the file; nil if the store has no such entity.
    @inline(__always) func layoutIndex(ofNumber number: Int64) -> Int? {
        number >= 1 && number <= members.count ? members[Int(number) - 1].index : nil
    }

    /// The table of an inheritance tree; nil if the store does not have it.
    func entityTable(rootIndex: Int) -> EntityTable? {
        tableIndexByRoot[rootIndex].map { tables[$0] }
    }

    /// The root entity whose rows a table has; nil if it is no entity's table.
    func rootIndex(ofTable name: String) -> Int? {
        tables.first { $0.name == name }?.rootIndex
    }

    func columns(_ layout: EntityLayout, _ slot: Int) -> SlotColumns {
        slotColumns[layout.index][slot]
    }

    func access(_ slot: PropertySlot) -> ToManyAccess? {
        toManyAccess[DeclaredSlot(entity: slot.declaringEntityIndex, slot: slot.index)]
    }

    /// Brings the look-up tables in line with `tables` and `joinTables`.
    mutating func index() {
        slotColumns = model.entities.map { entity in
            [SlotColumns](repeating: SlotColumns(), count: entity.slots.count)
        }
        var owners: [DeclaredSlot: (table: String, column: String)] = [:]
        var ownerOrders: [DeclaredSlot: String] = [:]
        for table in tables {
            for column in table.columns {
                switch column.role {
                case .value(let place): setColumn(place, \.value, column.name)
                case .element(let place, let index): setElement(place, index, column.name)
                case .destinationEntity(let place):
                    setColumn(place, \.destinationEntity, column.name)
                case .order(let place): setColumn(place, \.order, column.name)
                case .owner(let place): owners[place] = (table.name, column.name)
                case .ownerOrder(let place): ownerOrders[place] = column.name
                }
            }
        }
        toManyAccess = [:]
        for (place, owner) in owners {
            toManyAccess[place] = .ownerKey(
                table: owner.table,
                column: owner.column,
                orderColumn: ownerOrders[place]
            )
        }
        // After the columns: the key of a one-to-many is looked up among them below.
        for join in joinTables { indexJoin(join) }
        for entity in members {
            for slot in entity.toManySlots.map({ entity.slots[$0] })
            where slot.declaringEntityIndex == entity.index && slot.inverseSlot >= 0
                && !slot.isManyToMany
            {
                indexForeignKey(entity, slot)
            }
        }
    }

    private mutating func indexJoin(_ join: JoinTable) {
        toManyAccess[join.owner] = .join(
            table: join.name,
            ownColumn: join.sourceColumn,
            otherColumn: join.destinationColumn,
            orderColumn: join.destinationOrderColumn,
            isReflexive: join.isReflexive
        )
        guard !join.isReflexive else { return }
        toManyAccess[join.inverse] = .join(
            table: join.name,
            ownColumn: join.destinationColumn,
            otherColumn: join.sourceColumn,
            orderColumn: join.sourceOrderColumn,
            isReflexive: false
        )
    }

    private mutating func indexForeignKey(_ entity: EntityLayout, _ slot: PropertySlot) {
        let destination = model.entities[slot.destinationIndex]
        guard let table = entityTable(rootIndex: destination.rootIndex) else { return }
        let names = slotColumns[destination.index][slot.inverseSlot]
        guard let column = names.value else { return }
        toManyAccess[DeclaredSlot(entity: entity.index, slot: slot.index)] = .foreignKey(
            table: table.name,
            column: column,
            orderColumn: slot.isOrdered ? names.order : nil
        )
    }

    private mutating func setElement(_ place: DeclaredSlot, _ index: Int, _ name: String) {
        let declaring = model.entities[place.entity]
        let count = declaring.slots[place.slot].composite?.elements.count ?? 0
        for entity in declaring.index...declaring.lastDescendantIndex {
            if slotColumns[entity][place.slot].elements.isEmpty {
                slotColumns[entity][place.slot].elements = Array(repeating: nil, count: count)
            }
            slotColumns[entity][place.slot].elements[index] = name.isEmpty ? nil : name
        }
    }

    /// Sub-entities have the slot too.
    private mutating func setColumn(
        _ place: DeclaredSlot,
        _ part: WritableKeyPath<SlotColumns, String?>,
        _ name: String
    ) {
        let declaring = model.entities[place.entity]
        for entity in declaring.index...declaring.lastDescendantIndex {
            slotColumns[entity][place.slot][keyPath: part] = name
        }
    }
}
