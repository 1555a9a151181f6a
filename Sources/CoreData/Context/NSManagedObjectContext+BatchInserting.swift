import Foundation

/// Batch inserts.
extension NSManagedObjectContext {
    /// A row to insert, with a key that is given out only when all rows are there.
    private struct NewRow {
        var row: Row
        /// The slots that the client has given values for: what overwrites a row that is there.
        var given: SlotSet
    }

    /// Inserts the rows of a request; the IDs of what was inserted, and of the rows that were
    /// updated instead under an object-trump or overwrite policy.
    func insert(_ request: NSBatchInsertRequest) throws -> [NSManagedObjectID] {
        let layout = try batchLayout(request.entity, request.entityName)
        request.entity = layout.entity
        guard !layout.isAbstract else {
            throw CocoaError.coreData(
                "The entity \(layout.name) is abstract: insert rows of its sub-entities."
            )
        }
        guard let store = try batchStores(layout, request).first(where: { !$0.isReadOnly }) else {
            throw CocoaError.noStore(forEntity: layout.name)
        }
        let rows = try newRows(request, layout, store)
        guard !rows.isEmpty else { return [] }
        let references = try write(rows, layout, store)
        if let ledger = store.ledger { note(references, ledger) }
        coordinator.postRemoteChange(of: store)
        return references.map { objectID($0, in: store.identity) }
    }

    // MARK: Rows

    private func newRows(
        _ request: NSBatchInsertRequest,
        _ layout: EntityLayout,
        _ store: any RowStore
    ) throws -> [NewRow] {
        let defaults = try defaultValues(layout)
        var rows: [NewRow] = []
        if let handler = request.managedObjectHandler {
            let registry = ObjectRegistry(detached: layout)
            while true {
                let object = ManagedObjectClass.make(registry, TemporaryKey.next())
                object.takeDefaults()
                if handler(object) { return rows }
                try BatchValues.checkRanges(of: object)
                rows.append(NewRow(row: try object.makeInsertedRow(), given: layout.insertedSlots))
                // Both ends of a relationship hold each other, and no context will part them.
                object.breakRelationships()
            }
        }
        if let handler = request.dictionaryHandler {
            while true {
                let dictionary = NSMutableDictionary()
                if handler(dictionary) { return rows }
                var values: [String: Any] = [:]
                for (key, value) in dictionary { values["\(key)"] = value }
                rows.append(try newRow(values, layout, defaults, store))
            }
        }
        for values in request.objectsToInsert ?? [] {
            rows.append(try newRow(values, layout, defaults, store))
        }
        return rows
    }

    private func defaultValues(_ layout: EntityLayout) throws -> [SlotValue] {
        var values = layout.defaultValues
        for slot in layout.slots {
            guard let value = values[slot.index].boxed else { continue }
            guard slot.kind == .transformable else {
                values[slot.index] = .null
                continue
            }
            values[slot.index] = .bytes(try TransformableValue.archive(value, slot.property))
        }
        return values
    }

    private func newRow(
        _ dictionary: [String: Any],
        _ layout: EntityLayout,
        _ defaults: [SlotValue],
        _ store: any RowStore
    ) throws -> NewRow {
        var values = defaults
        var given = SlotSet()
        for (key, value) in dictionary {
            let slot = try BatchValues.slot(key, layout)
            values[slot.index] = try BatchValues.value(value, slot, layout, store)
            given.insert(slot.index)
        }
        return NewRow(
            row: Row.make(layout: layout, primaryKey: 0, version: 1, values: values),
            given: given
        )
    }

    // MARK: Writing

    /// Writes the rows, and again as long as the merge policy settles what must be unique.
    private func write(
        _ rows: [NewRow],
        _ layout: EntityLayout,
        _ store: any BatchStore
    ) throws -> [RowReference] {
        var rows = rows
        var updates: [RowReference: StoreChangeSet.Update] = [:]
        for _ in 0..<1_000 {
            var changes = StoreChangeSet()
            changes.origin = batchOrigin
            // Taken anew in each round: those of a round that failed may be somebody else's.
            let first = try store.reservePrimaryKeys(rootIndex: layout.rootIndex, count: rows.count)
            for (index, new) in rows.enumerated() {
                new.row.setPrimaryKey(first + Int64(index))
            }
            changes.inserts = rows.map(\.row)
            changes.updates = updates.values.sorted {
                $0.row.reference.rawValue < $1.row.reference.rawValue
            }
            do {
                if !changes.isEmpty { try store.write(changes) }
                return (changes.inserts + changes.updates.map(\.row)).map(\.reference)
            } catch is PrimaryKeysTaken {
                continue
            } catch is RowConflicts {
                // Someone has changed rows that were to be overwritten: look at them again.
                throw CocoaError.coreData(
                    "Rows of \(layout.name) changed while a batch insert was overwriting them: "
                        + "execute the request again."
                )
            } catch let error as UniquenessViolations {
                try settle(error, &rows, &updates, first, layout)
            }
        }
        throw CocoaError.coreData(
            "The batch insert met new conflicts a thousand times over: others change the same rows "
                + "all the time."
        )
    }

    private func settle(
        _ error: UniquenessViolations,
        _ rows: inout [NewRow],
        _ updates: inout [RowReference: StoreChangeSet.Update],
        _ first: Int64,
        _ layout: EntityLayout
    ) throws {
        let policy = (mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType
        guard policy != .errorMergePolicyType, !error.violations.isEmpty else {
            throw CocoaError.constraintConflicts(
                [],
                entity: error.violations.first?.entity.name ?? layout.name,
                keys: error.violations.first?.constraint ?? []
            )
        }
        let isOverwriting =
            policy == .mergeByPropertyObjectTrumpMergePolicyType
            || policy == .overwriteMergePolicyType
        var dropped = Set<Int>()
        for violation in error.violations {
            // The keys of a round are consecutive, so that a key tells the place.
            let index = Int(violation.row.primaryKey - first)
            guard rows.indices.contains(index), violation.row === rows[index].row else {
                // An overwritten row collides with a third one: nothing is left to decide.
                throw error
            }
            guard dropped.insert(index).inserted, isOverwriting, let other = violation.other else {
                continue
            }
            let otherIndex = Int(other.primaryKey - first)
            if other.primaryKey >= first, rows.indices.contains(otherIndex) {
                // Two of the batch: what comes later is put on top of what came first.
                rows[otherIndex].row = merged(rows[index], over: rows[otherIndex].row, version: 1)
                rows[otherIndex].given.formUnion(rows[index].given)
            } else {
                // Several new rows may fall on one row: all are put on top of it as it was read,
                // whose version the store compares.
                let known = updates[other.reference]
                let old = known?.old ?? other
                var changed = known?.changed ?? SlotSet()
                changed.formUnion(rows[index].given)
                updates[other.reference] = StoreChangeSet.Update(
                    row: merged(rows[index], over: known?.row ?? other, version: old.version &+ 1),
                    old: old,
                    changed: changed
                )
            }
        }
        rows = rows.indices.filter { !dropped.contains($0) }.map { rows[$0] }
    }

    /// A row with the values that were given for another one.
    private func merged(_ new: NewRow, over old: Row, version: Int32) -> Row {
        let layout = coordinator.modelLayout.entities[old.entityIndex]
        let values = layout.slots.map { slot in
            let source = new.given.contains(slot.index) ? new.row : old
            return source.value(slot.index, slot.kind)
        }
        return Row.make(
            layout: layout,
            primaryKey: old.primaryKey,
            version: version,
            values: values
        )
    }
}

extension Row {
    /// Moves a row that nobody else has yet to another key.
    fileprivate func setPrimaryKey(_ primaryKey: Int64) {
        withUnsafeMutablePointerToHeader { $0.pointee.primaryKey = primaryKey }
    }
}
