import Foundation

extension StoreSchema {
    /// The triggers that keep derived attributes which follow from other rows.
    ///
    /// Those of `pages.@count` over a one-to-many relationship are as Apple's framework writes
    /// them. What Apple's stores have for other derivations is not known: those triggers are made
    /// of plain SQL and the function that Apple's call.
    func derivationTriggers() -> [String] {
        members.flatMap { entity in
            entity.slots.filter { $0.declaringEntityIndex == entity.index }
                .flatMap { triggers(entity, $0) }
        }
    }

    /// Whether triggers keep the value of an attribute, so that rows which come from elsewhere need
    /// not bring it.
    func isKeptByTriggers(_ place: DeclaredSlot) -> Bool {
        let entity = model.entities[place.entity]
        return !triggers(entity, entity.slots[place.slot]).isEmpty
    }

    private func triggers(_ entity: EntityLayout, _ slot: PropertySlot) -> [String] {
        guard let derivation = slot.derivation,
            let relationship = entity.slot(named: derivation.relationship),
            let column = columns(entity, slot.index).value,
            let table = entityTable(rootIndex: entity.rootIndex)?.name
        else { return [] }
        let target = DerivedColumn(
            entity: entity.name,
            attribute: slot.name,
            table: table,
            column: column
        )
        switch derivation {
        case .count: return counts(target, relationship)
        case .sum(_, let attribute): return sums(target, relationship, attribute)
        case .path(_, let attribute): return copies(target, entity, relationship, attribute)
        // The value follows with the object's save, where the evaluator's own functions are at
        // hand.
        case .function: return []
        }
    }

    private func counts(_ target: DerivedColumn, _ relationship: PropertySlot) -> [String] {
        switch access(relationship) {
        case .foreignKey(let table, let key, _)?, .ownerKey(let table, let key, _)?:
            target.counting(table, key: key, isRow: true)
        case .join(let table, let own, _, _, let isReflexive)? where !isReflexive:
            target.counting(table, key: own, isRow: false)
        default: []
        }
    }

    private func sums(
        _ target: DerivedColumn,
        _ relationship: PropertySlot,
        _ attribute: String
    ) -> [String] {
        guard let value = destinationColumn(relationship, attribute) else { return [] }
        switch access(relationship) {
        case .foreignKey(let table, let key, _)?, .ownerKey(let table, let key, _)?:
            return target.summing(table, key: key, value: value)
        default: return []
        }
    }

    private func copies(
        _ target: DerivedColumn,
        _ entity: EntityLayout,
        _ relationship: PropertySlot,
        _ attribute: String
    ) -> [String] {
        guard relationship.kind == .toOne, let key = columns(entity, relationship.index).value,
            let value = destinationColumn(relationship, attribute),
            let table = entityTable(
                rootIndex: model.entities[relationship.destinationIndex].rootIndex
            )?.name
        else { return [] }
        return target.copying(table, key: key, value: value)
    }

    private func destinationColumn(_ relationship: PropertySlot, _ attribute: String) -> String? {
        guard relationship.destinationIndex >= 0 else { return nil }
        let destination = model.entities[relationship.destinationIndex]
        return destination.slot(named: attribute)
            .flatMap { columns(destination, $0.index).value }
    }
}

/// The column of a derived attribute, and the triggers that keep it.
private struct DerivedColumn {
    let entity: String
    let attribute: String
    let table: String
    let column: String

    // MARK: Kinds

    /// Counts the rows of a table whose key leads here.
    ///
    /// - Parameter isRow: Whether a row can change its key; those of a join table come and go.
    func counting(_ members: String, key: String, isRow: Bool) -> [String] {
        guard isPlain(members, key) else { return [] }
        let increment = set("\(column) + 1"), decrement = set("\(column) - 1")
        var triggers = [
            // The owner's count may still be NULL when its first member comes.
            on(members, "PARAMETER_INSERT", "INSERT", "NEW", key, set("IFNULL(\(column), 0) + 1"))
        ]
        // A row that moves changes two owners: the old one loses what the new one gets, in two
        // triggers, since either key may be NULL.
        if isRow {
            triggers += [
                on(
                    members,
                    "PARAMETER_UPDATE_INCREMENT",
                    "UPDATE OF \(key)",
                    "NEW",
                    key,
                    increment
                ),
                on(
                    members,
                    "PARAMETER_UPDATE_DECREMENT",
                    "UPDATE OF \(key)",
                    "OLD",
                    key,
                    decrement
                ),
            ]
        }
        triggers.append(on(members, "PARAMETER_DELETE", "DELETE", "OLD", key, decrement))
        // Rows are inserted in any order: members that came before their owner are counted now.
        let count = "SELECT IFNULL(COUNT(\(key)), 0) FROM \(members) WHERE \(key) = NEW.Z_PK"
        return triggers + [onSource("SOURCE_INSERT", "INSERT", count)]
    }

    /// Adds up a column of the rows of a table whose key leads here.
    func summing(_ members: String, key: String, value: String) -> [String] {
        guard isPlain(members, key, value) else { return [] }
        // Summed anew each time: differences would pile up what reals lose, and a null would spoil
        // them.
        let sum = "SELECT IFNULL(SUM(\(value)), 0) FROM \(members) WHERE \(key) = "
        let new = set("(\(sum)NEW.\(key))"), old = set("(\(sum)OLD.\(key))")
        let changes = "UPDATE OF \(key), \(value)"
        return [
            on(members, "PARAMETER_INSERT", "INSERT", "NEW", key, new),
            on(members, "PARAMETER_UPDATE_INCREMENT", changes, "NEW", key, new),
            on(members, "PARAMETER_UPDATE_DECREMENT", changes, "OLD", key, old),
            on(members, "PARAMETER_DELETE", "DELETE", "OLD", key, old),
            onSource("SOURCE_INSERT", "INSERT", "\(sum)NEW.Z_PK"),
        ]
    }

    /// Copies a column of the row that a key of this table leads to.
    func copying(_ other: String, key: String, value: String) -> [String] {
        guard isPlain(other, key, value) else { return [] }
        // From both sides: the row that is copied from may come or change after the one that
        // copies, and a row may turn to another one.
        let read = "SELECT d.\(value) FROM \(other) d WHERE d.Z_PK = NEW.\(key)"
        return [
            onOther(other, "PARAMETER_INSERT", "INSERT", key, value),
            onOther(other, "PARAMETER_UPDATE", "UPDATE OF \(value)", key, value),
            onSource("SOURCE_INSERT", "INSERT", read),
            onSource("SOURCE_UPDATE", "UPDATE OF \(key)", read),
        ]
    }

    // MARK: Parts

    /// Names that would need quotes get no triggers.
    private func isPlain(_ names: String...) -> Bool {
        (names + [entity, attribute, table, column]).allSatisfy { SQLName.plain($0) == $0 }
    }

    private func set(_ value: String) -> String { "UPDATE \(table) SET \(column) = \(value)" }

    private func head(_ table: String, _ suffix: String, _ event: String) -> String {
        "CREATE TRIGGER Z_DA_\(table)_\(entity)_\(attribute)_\(suffix) AFTER \(event) ON \(table) "
            + "FOR EACH ROW "
    }

    private func on(
        _ members: String,
        _ suffix: String,
        _ event: String,
        _ row: String,
        _ key: String,
        _ update: String
    ) -> String {
        head(members, suffix, event) + "WHEN (\(row).\(key) NOT NULL) BEGIN \(update) "
            + "WHERE Z_PK = \(row).\(key); " + report("Updated", "Z_PK = \(row).\(key)")
    }

    private func onOther(
        _ other: String,
        _ suffix: String,
        _ event: String,
        _ key: String,
        _ value: String
    ) -> String {
        head(other, suffix, event) + "BEGIN \(set("NEW.\(value)")) WHERE \(key) = NEW.Z_PK; "
            + report("Updated", "\(key) = NEW.Z_PK")
    }

    private func onSource(_ suffix: String, _ event: String, _ value: String) -> String {
        head(table, suffix, event) + "BEGIN \(set("(\(value))")) WHERE Z_PK = NEW.Z_PK; "
            + report("InsertUpdated", "Z_PK = NEW.Z_PK")
    }

    private func report(_ kind: String, _ condition: String) -> String {
        "SELECT NSCoreDataDATrigger\(kind)AffectedObjectValue('\(table)', Z_ENT, Z_PK, "
            + "'\(attribute)', \(column)) FROM \(table) WHERE \(condition); END"
    }
}

extension StoreSchema {
    /// Bounds what triggers run that are not ours; a store without any is not slowed down.
    ///
    /// - Parameter base: How many steps a transaction of an empty file may take: two
    ///   seconds or so.
    func boundForeignTriggers(
        on connection: SQLiteConnection,
        base: Int = 200_000_000
    ) throws {
        let triggers = try connection.texts("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
        // Compared as text: a trigger may bear one of our names and do something else.
        guard !triggers.isEmpty, !Set(triggers).isSubset(of: derivationTriggers()) else { return }
        // The bound grows with the file, since a trigger of a client's own may visit all rows for
        // good reason.
        let pages = Int(clamping: try connection.integer("PRAGMA page_count") ?? 0)
        connection.limitSteps(to: base + min(pages, 1 << 32) * 100_000)
    }
}
