extension StoreWriter {
    /// Whether rows that contexts of this process have read may be deleted by now.
    private func mayLackTargets() throws -> Bool {
        // An error is none of the answers: a copy of a store writes rows before those that they
        // refer to, and would be refused by a check that there is no need of.
        try hasDeleted || firstContent != Self.content(connection)
    }

    /// A number of the file's content that changes by commits of other processes.
    static func content(_ connection: SQLiteConnection) throws -> Int64? {
        // Commits by the connection itself leave the number as it is
        // (sqlite.org/pragma.html#pragma_data_version).
        try connection.integer("PRAGMA data_version")
    }

    /// Looks for rows which a save relates others to, and which are deleted: by a commit of this
    /// process since the save was validated, or by another process. No version tells of it, since
    /// such a row need not be written by the save.
    ///
    /// - Throws: `LostTargets`.
    /// - Complexity: Nothing while no row was ever deleted; else a set of the rows that are
    ///   referred to, and a look into their tables.
    func checkTargets(of changes: StoreChangeSet) throws {
        guard try mayLackTargets() else { return }
        try checkTargets(changes.targets(schema.model))
    }

    /// The same for keys of rows by their trees' roots, whatever has happened before.
    func checkTargets(_ targets: [Int: Set<Int64>]) throws {
        var missing: [RowReference] = []
        for (entityIndex, keys) in targets {
            guard let table = schema.entityTable(rootIndex: entityIndex)?.name else { continue }
            // Within the transaction, so that nobody can delete a row between the look and the
            // commit.
            let statement = try connection.statement(
                "SELECT value FROM json_each(?) WHERE value NOT IN "
                    + "(SELECT Z_PK FROM \(SQLName.quoted(table)))"
            )
            defer { statement.clear() }
            statement.bind(1, "[\(keys.sorted().map(String.init).joined(separator: ","))]")
            while try statement.step() {
                missing.append(
                    RowReference(entityIndex: entityIndex, primaryKey: statement.integer(0))
                )
            }
        }
        guard missing.isEmpty else { throw LostTargets(references: missing) }
    }
}

extension StoreChangeSet {
    /// The keys of the rows that a save relates others to, by their trees' roots.
    func targets(_ model: ModelLayout) -> [Int: Set<Int64>] {
        var result: [Int: Set<Int64>] = [:]
        func add(_ reference: RowReference) {
            let root = model.entities[reference.entityIndex].rootIndex
            result[root, default: []].insert(reference.primaryKey)
        }
        for row in inserts {
            for slot in model.entities[row.entityIndex].toOneSlots {
                if let reference = row.reference(slot) { add(reference) }
            }
        }
        for update in updates {
            // Only what the save sets: an older reference of the row is not of its making.
            for slot in model.entities[update.row.entityIndex].toOneSlots
            where update.changed.contains(slot) {
                if let reference = update.row.reference(slot) { add(reference) }
            }
        }
        for change in toManyChanges where !change.added.isEmpty {
            let slot = model.entities[change.owner.entityIndex].slots[change.slot]
            add(change.owner)
            // What a rule leaves alone may be left over.
            let destination = model.entities[slot.destinationIndex]
            let isLeft =
                slot.inverseSlot >= 0
                && destination.slots[slot.inverseSlot].deleteRule == .noActionDeleteRule
            if !isLeft { change.added.forEach(add) }
        }
        // These are there again with the save.
        for reference in reinserts {
            result[model.entities[reference.entityIndex].rootIndex]?.remove(reference.primaryKey)
        }
        return result
    }
}
