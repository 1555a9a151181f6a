/// The rows of a store in memory and what is derived from them. A value: a reader takes a copy
/// and has it to itself.
struct MemoryTables: @unchecked Sendable {
    // @unchecked: rows and layouts are immutable.

    /// The rows of an inheritance tree.
    struct Table {
        var rows: [Int64: Row] = [:]
        /// Ascending.
        var keys: [Int64] = []
        /// Told apart from keys that are taken and not saved yet.
        var deletedKeys: Set<Int64> = []
    }

    let model: ModelLayout
    /// By the root entity's index.
    var tables: [Int: Table] = [:]
    /// The content of to-many relationships: owner's key, then member's key.
    var members: [DeclaredSlot: [Int64: [Int64: RowReference]]] = [:]
    /// The order of ordered ones, by the owner's key.
    var orders: [DeclaredSlot: [Int64: [Int64]]] = [:]
    /// The owner of a member of a to-many relationship without inverse.
    var owners: [DeclaredSlot: [Int64: Int64]] = [:]
    var uniqueValues: [UniqueValue: Int64] = [:]

    init(model: ModelLayout) { self.model = model }

    // MARK: Reading

    func row(_ layout: EntityLayout, _ primaryKey: Int64) -> Row? {
        guard let row = tables[layout.rootIndex]?.rows[primaryKey],
            layout.contains(row.entityIndex)
        else { return nil }
        return row
    }

    /// What is known of a row, as a row cache says it.
    func entry(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry {
        if let row = row(layout, primaryKey) { return .row(row) }
        let isDeleted = tables[layout.rootIndex]?.deletedKeys.contains(primaryKey) ?? false
        return isDeleted ? .deleted : .unknown
    }

    /// The rows of an entity, by ascending key.
    func rows(_ layout: EntityLayout, includesSubentities: Bool, keys: [Int64]?) -> [Row] {
        guard let table = tables[layout.rootIndex] else { return [] }
        // A key that is asked for twice is one row, as with SQL's IN.
        let wanted = keys.map { Set($0).sorted() } ?? table.keys
        return wanted.compactMap { key in
            guard let row = table.rows[key] else { return nil }
            let isMember =
                includesSubentities
                ? layout.contains(row.entityIndex) : row.entityIndex == layout.index
            return isMember ? row : nil
        }
    }

    /// The content of a to-many relationship; by order, if it has one, else by key.
    func related(_ slot: PropertySlot, _ owner: Int64) -> [RowReference] {
        let place = Self.place(slot)
        guard let content = members[place]?[owner], !content.isEmpty else { return [] }
        let rest = content.values.sorted { $0.primaryKey < $1.primaryKey }
        guard slot.isOrdered, let order = orders[place]?[owner] else { return rest }
        let placed = order.compactMap { content[$0] }
        let keys = Set(order)
        // Members without a place come last: their owner was never told of an order.
        return placed + rest.filter { !keys.contains($0.primaryKey) }
    }

    static func place(_ slot: PropertySlot) -> DeclaredSlot {
        DeclaredSlot(entity: slot.declaringEntityIndex, slot: slot.index)
    }

    // MARK: Writing

    /// Makes the changes, which have been checked.
    mutating func apply(_ changes: StoreChangeSet) {
        // Deletes first: the keys and unique values that they release may be taken by other rows of
        // the same save.
        for delete in changes.deletes { self.delete(delete.reference) }
        removeKeys(of: changes.deletes)
        for update in changes.updates { replace(update.row) }
        for row in changes.inserts { insert(row) }
        apply(changes.toManyChanges)
    }

    private mutating func insert(_ row: Row) {
        let layout = model.entities[row.entityIndex]
        let key = row.primaryKey
        tables[layout.rootIndex, default: Table()].rows[key] = row
        // A save under the overwrite policy inserts deleted rows again.
        tables[layout.rootIndex]?.deletedKeys.remove(key)
        // New keys are nearly always the largest; only keys that were reserved earlier, or rows
        // inserted again, have to be put between.
        if let last = tables[layout.rootIndex]?.keys.last, last > key {
            let index = tables[layout.rootIndex]?.keys.firstIndex { $0 > key } ?? 0
            tables[layout.rootIndex]?.keys.insert(key, at: index)
        } else {
            tables[layout.rootIndex]?.keys.append(key)
        }
        for slot in layout.toOneSlots { link(row, layout.slots[slot]) }
        for value in UniqueValue.all(of: row, layout) { uniqueValues[value] = key }
    }

    private mutating func replace(_ row: Row) {
        let layout = model.entities[row.entityIndex]
        if let old = tables[layout.rootIndex]?.rows[row.primaryKey] {
            // Those that stay are linked again below, which changes nothing.
            for slot in layout.toOneSlots where old.reference(slot) != row.reference(slot) {
                unlink(old, layout.slots[slot])
            }
            releaseUniqueValues(of: old, layout)
        }
        tables[layout.rootIndex]?.rows[row.primaryKey] = row
        for slot in layout.toOneSlots { link(row, layout.slots[slot]) }
        for value in UniqueValue.all(of: row, layout) { uniqueValues[value] = row.primaryKey }
    }

    private mutating func delete(_ reference: RowReference) {
        let layout = model.entities[reference.entityIndex]
        let key = reference.primaryKey
        guard let old = tables[layout.rootIndex]?.rows.removeValue(forKey: key) else { return }
        for slot in layout.toOneSlots { unlink(old, layout.slots[slot]) }
        releaseUniqueValues(of: old, layout)
        forgetRelationships(of: layout, key)
    }

    /// In one pass for all deleted rows, since each removal would move the keys behind it.
    private mutating func removeKeys(of deletes: [StoreChangeSet.Delete]) {
        var deleted: [Int: Set<Int64>] = [:]
        for delete in deletes {
            let root = model.entities[delete.reference.entityIndex].rootIndex
            deleted[root, default: []].insert(delete.reference.primaryKey)
        }
        for (root, keys) in deleted {
            tables[root]?.keys.removeAll { keys.contains($0) }
            tables[root]?.deletedKeys.formUnion(keys)
        }
    }

    /// A row that took the value earlier in the same save keeps it.
    private mutating func releaseUniqueValues(of row: Row, _ layout: EntityLayout) {
        for value in UniqueValue.all(of: row, layout)
        where uniqueValues[value] == row.primaryKey {
            uniqueValues[value] = nil
        }
    }

    // MARK: To-one relationships, seen from their destination

    private mutating func link(_ row: Row, _ slot: PropertySlot) {
        guard let destination = row.reference(slot.index), let place = inverse(slot) else { return }
        members[place, default: [:]][destination.primaryKey, default: [:]][row.primaryKey] =
            row.reference
    }

    private mutating func unlink(_ row: Row, _ slot: PropertySlot) {
        guard let destination = row.reference(slot.index), let place = inverse(slot) else { return }
        members[place]?[destination.primaryKey]?[row.primaryKey] = nil
    }

    /// Where the relationship's inverse is declared; nil if that is no to-many.
    func inverse(_ slot: PropertySlot) -> DeclaredSlot? {
        guard slot.inverseSlot >= 0, slot.destinationIndex >= 0 else { return nil }
        let inverse = model.entities[slot.destinationIndex].slots[slot.inverseSlot]
        return inverse.kind == .toMany ? Self.place(inverse) : nil
    }
}
