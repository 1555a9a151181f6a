import Foundation

/// The values of a row that must be unique together under one constraint.
struct UniqueValue: Hashable {
    /// The entity that declares the constraint, and the place in its list.
    let entity: Int
    let constraint: Int
    private let bytes: Data

    /// One for each constraint of the row's entity and its ancestors; none where a value is nil,
    /// since nil is not the same as nil here.
    static func all(of row: Row, _ layout: EntityLayout) -> [UniqueValue] {
        var result: [UniqueValue] = []
        var ancestor: EntityLayout? = layout
        while let entity = ancestor {
            for index in entity.entity.uniquenessConstraints.indices {
                let slots = keys(of: entity, index).compactMap { layout.slot(named: $0) }
                // Constraints of ancestors hold across all sub-entities, so that the value bears
                // the declaring entity.
                if let bytes = bytes(row, slots) {
                    result.append(
                        UniqueValue(entity: entity.index, constraint: index, bytes: bytes)
                    )
                }
            }
            ancestor = entity.parent
        }
        return result
    }

    /// The names of the properties under a constraint.
    static func keys(of entity: EntityLayout, _ constraint: Int) -> [String] {
        entity.entity.uniquenessConstraints[constraint].compactMap { element in
            (element as? String) ?? (element as? NSPropertyDescription)?.name
        }
    }

    private static func bytes(_ row: Row, _ slots: [PropertySlot]) -> Data? {
        guard !slots.isEmpty else { return nil }
        var data = Data()
        for slot in slots {
            guard slot.kind.isInRow, !row.isNull(slot.index) else { return nil }
            if slot.kind.isInTail {
                row.withTail(slot.index) { tail in
                    // The length goes first, else "ab" and "c" would be the same as "a" and "bc".
                    withUnsafeBytes(of: tail.count) { data.append(contentsOf: $0) }
                    data.append(contentsOf: tail)
                }
            } else {
                withUnsafeBytes(of: row.word(slot.index)) { data.append(contentsOf: $0) }
            }
        }
        return data
    }
}

extension MemoryTables {
    /// Checks that a save can be made as a whole.
    ///
    /// - Throws: `RowConflicts`, `UniquenessViolations`, `PrimaryKeysTaken`, `LateReferences`.
    func check(_ changes: StoreChangeSet) throws {
        var conflicts: [RowConflicts.Conflict] = []
        for delete in changes.deletes { check(delete.reference, delete.version, &conflicts) }
        for update in changes.updates {
            check(update.row.reference, update.old.version, &conflicts)
        }
        for reference in changes.reinserts {
            guard let stored = stored(reference) else { continue }
            conflicts.append(
                RowConflicts.Conflict(reference: reference, expectedVersion: 0, stored: stored)
            )
        }
        // Conflicts first: what merging makes of them is a save anew, which is checked for the rest
        // again.
        guard conflicts.isEmpty else { throw RowConflicts(conflicts: conflicts) }
        try checkReferences(in: changes)
        try checkTargets(of: changes)
        for row in changes.inserts {
            let root = model.entities[row.entityIndex].rootIndex
            if tables[root]?.rows[row.primaryKey] != nil { throw PrimaryKeysTaken(rootIndex: root) }
        }
        try checkUniqueness(changes)
    }

    private func check(
        _ reference: RowReference,
        _ version: Int32,
        _ conflicts: inout [RowConflicts.Conflict]
    ) {
        let stored = stored(reference)
        if stored?.version == version { return }
        conflicts.append(
            RowConflicts.Conflict(
                reference: reference,
                expectedVersion: version,
                stored: stored
            )
        )
    }

    private func stored(_ reference: RowReference) -> Row? {
        tables[model.entities[reference.entityIndex].rootIndex]?.rows[reference.primaryKey]
    }

    /// A value that a deleted or updated row gives up is free for the other rows of the save.
    private func checkUniqueness(_ changes: StoreChangeSet) throws {
        var released: Set<UniqueValue> = []
        // Collected before any value is looked at: two rows of one save may exchange their values.
        let leaving = changes.deletes.map(\.reference) + changes.updates.map(\.row.reference)
        for reference in leaving {
            guard let row = stored(reference) else { continue }
            released.formUnion(UniqueValue.all(of: row, model.entities[row.entityIndex]))
        }
        var taken: [UniqueValue: Row] = [:]
        var violations: [UniquenessViolations.Violation] = []
        for row in changes.updates.map(\.row) + changes.inserts {
            let layout = model.entities[row.entityIndex]
            for value in UniqueValue.all(of: row, layout) {
                var other = taken[value]
                if other == nil, !released.contains(value), let key = uniqueValues[value] {
                    other = tables[layout.rootIndex]?.rows[key]
                }
                guard let other else {
                    taken[value] = row
                    continue
                }
                violations.append(
                    UniquenessViolations.Violation(
                        row: row,
                        entity: model.entities[value.entity],
                        constraint: UniqueValue.keys(
                            of: model.entities[value.entity],
                            value.constraint
                        ),
                        other: other
                    )
                )
            }
        }
        guard violations.isEmpty else { throw UniquenessViolations(violations: violations) }
    }
}
