/// What a context does for its children, on its own queue.
extension NSManagedObjectContext {
    // MARK: Reading

    /// The rows that a child asks for, with this context's unsaved changes.
    func rowsForChild(_ plan: FetchPlan, in store: any RowStore) throws -> [Row] {
        // A child may ask for a row by a key that was temporary when it read it.
        adoptPromotions()
        let changed = changedObjects(plan)
        if changed.isEmpty { return try store.rows(plan) }
        return try overlaid(plan, [store], changed, refreshing: false).map { try $0.currentRow() }
    }

    func countForChild(_ plan: FetchPlan, in store: any RowStore) throws -> Int {
        adoptPromotions()
        let changed = changedObjects(plan)
        if changed.isEmpty { return try store.count(plan) }
        return try overlaid(plan, [store], changed, refreshing: false).count
    }

    /// The row for a key, as this context has it; nil if it is deleted here.
    func rowForChild(
        _ layout: EntityLayout,
        _ primaryKey: Int64,
        in store: any RowStore
    ) throws -> Row? {
        adoptPromotions()
        let reference = current(RowReference(entityIndex: layout.index, primaryKey: primaryKey))
        guard let object = knownObject(reference, in: store) else {
            return try currentRow(layout, reference.primaryKey, in: store)
        }
        guard object.flags.isDisjoint(with: [.deleted, .detached]) else { return nil }
        // A fault stays one: what a child asks for must not load this context's objects.
        if object.overlay == nil, object.row == nil {
            return try currentRow(object.layout, reference.primaryKey, in: store)
        }
        return try object.currentRow()
    }

    func relatedForChild(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64,
        in store: any RowStore
    ) throws -> [RowReference] {
        adoptPromotions()
        let reference = current(RowReference(entityIndex: layout.index, primaryKey: primaryKey))
        // Without unsaved changes nothing can differ from the level below, and no object is made.
        if knownObject(reference, in: store) == nil, !hasChanges {
            return try store.related(layout, slot, reference.primaryKey)
        }
        // Members that are deleted here are left out below: a rule may leave them in the content,
        // and one that is not applied yet has.
        return try object(reference, in: store).readToMany(slot.index)
            .filter { !$0.flags.contains(.deleted) }
            .map(\.anyReference)
    }

    // MARK: Taking in a save

    /// What a child asks for in one store, and the objects of the rows that it has changed.
    struct TakenChanges {
        let changes: StoreChangeSet
        let store: any RowStore
        let updated: [NSManagedObject]
    }

    /// Finds out whether a child's changes can be made here.
    ///
    /// All that can fail is here, and nothing is changed, so that a save over several stores is taken
    /// in as a whole or not at all. A row that is deleted here, or in the store, is a conflict.
    ///
    /// - Throws: `RowConflicts`, `DanglingReferences`, or what reading the rows throws.
    func examine(_ changes: StoreChangeSet, in store: any RowStore) throws -> TakenChanges {
        adoptPromotions()
        var updated: [NSManagedObject] = []
        let gone = try changes.updates.filter { update in
            let reference = current(update.row.reference)
            guard let object = try storedObject(reference, in: store) else { return true }
            updated.append(object)
            return false
        }
        guard gone.isEmpty else {
            throw RowConflicts(
                conflicts: gone.map {
                    RowConflicts.Conflict(
                        reference: $0.row.reference,
                        expectedVersion: $0.old.version,
                        stored: nil
                    )
                }
            )
        }
        try checkReferences(of: changes, in: store)
        return TakenChanges(changes: changes, store: store, updated: updated)
    }

    /// Makes a child's changes here, where they are changes like any other. Property by property the
    /// last save wins.
    func takeIn(_ taken: TakenChanges) {
        let changes = taken.changes, store = taken.store
        // All of them before any relationship is set, since they may be related to each other.
        let inserted = changes.inserts.map { makeInserted($0, in: store) }
        for (object, row) in zip(inserted, changes.inserts) {
            setRelationships(of: object, to: row, object.layout.toOneSlots, in: store)
        }
        // By their places: no update is gone, so that each has its object in `updated`.
        for (update, object) in zip(changes.updates, taken.updated) {
            let slots = update.changed.members
            setAttributes(of: object, to: update.row, slots)
            setRelationships(of: object, to: update.row, slots, in: store)
        }
        for change in changes.toManyChanges { takeIn(change, in: store) }
        for value in changes.transientValues { takeIn(value, in: store) }
        // Last, so that the delete rules find relationships as the child has left them.
        for delete in changes.deletes {
            self.delete(object(current(delete.reference), in: store))
        }
        processPendingChanges()
    }

    /// The object for a row that a child has changed; nil if it is deleted here, or its row is gone.
    private func storedObject(
        _ reference: RowReference,
        in store: any RowStore
    ) throws -> NSManagedObject? {
        if let known = knownObject(reference, in: store) {
            if !known.flags.isDisjoint(with: [.deleted, .detached]) { return nil }
            if known.row != nil || known.flags.contains(.inserted) { return known }
        }
        let layout = coordinator.modelLayout.entities[reference.entityIndex]
        return try currentRow(layout, reference.primaryKey, in: store).map { object($0, in: store) }
    }

    private func makeInserted(_ row: Row, in store: any RowStore) -> NSManagedObject {
        let layout = coordinator.modelLayout.entities[row.entityIndex]
        // The child may have asked for a permanent ID ahead of its save.
        let isPermanent = row.primaryKey > 0
        let registry =
            isPermanent
            ? registry(row.entityIndex, in: store) : registry(forNew: layout.entity)
        let object = ManagedObjectClass.make(registry, row.primaryKey)
        registry.identityMap.set(row.primaryKey, object)
        // Not by `adopt(_:)`: `awakeFromInsert()` has run in the child, and its values come with
        // the row. The row has no transient attributes, which begin with their defaults.
        object.takeDefaults()
        setState(.inserted, of: object)
        notePending(.pendingInsert, object)
        setAttributes(of: object, to: row, layout.attributeSlots)
        return object
    }

    private func setAttributes(of object: NSManagedObject, to row: Row, _ slots: [Int]) {
        for slot in slots {
            let property = object.layout.slots[slot]
            switch property.kind {
            case .toOne, .toMany, .volatile:
                continue
            case .transformable:
                let value =
                    row.isNull(slot)
                    ? nil
                    : TransformableValue.unarchive(
                        row.bytes(slot),
                        property.property,
                        of: object
                    )
                object.fireIfFault()
                object.change(slot) {
                    object.ensureOverlay().setBox(slot, value.map(ValueBox.init))
                }
            default:
                object.setSlot(slot, row.value(slot, property.kind))
            }
        }
    }

    private func setRelationships(
        of object: NSManagedObject,
        to row: Row,
        _ slots: [Int],
        in store: any RowStore
    ) {
        for slot in slots where object.layout.slots[slot].kind == .toOne {
            object.setToOne(slot, row.reference(slot).map { self.object(current($0), in: store) })
        }
    }

    private func takeIn(_ change: StoreChangeSet.ToManyChange, in store: any RowStore) {
        let owner = object(current(change.owner), in: store)
        // Its members are nobody's by now: what the child has put in order, it read before.
        guard !owner.isLost else { return }
        for reference in change.added {
            owner.addToToMany(change.slot, object(current(reference), in: store))
        }
        for reference in change.removed {
            owner.removeFromToMany(change.slot, object(current(reference), in: store))
        }
        if let order = change.order {
            // What was deleted here since the child read it is no member any more.
            let members = order.map { object(current($0), in: store) }.filter { !$0.isLost }
            owner.setToMany(change.slot, members)
        }
    }

    private func takeIn(_ value: StoreChangeSet.TransientValue, in store: any RowStore) {
        let owner = object(current(value.owner), in: store)
        owner.fireIfFault()
        owner.change(value.slot) { owner.ensureOverlay().setBox(value.slot, value.content) }
    }

    // MARK: Temporary keys

    /// The object for a reference if this context has it.
    func knownObject(
        _ reference: RowReference,
        in store: any RowStore
    ) -> NSManagedObject? {
        if reference.primaryKey < 0, let object = unsavedObject(reference) { return object }
        return registry(reference.entityIndex, in: store).known(reference.primaryKey)
    }

    /// An inserted object by its temporary key.
    func unsavedObject(_ reference: RowReference) -> NSManagedObject? {
        let entity = coordinator.modelLayout.entities[reference.entityIndex].entity
        return registry(forNew: entity).identityMap.object(reference.primaryKey)
    }

    /// A reference with the key that its row has now.
    @inline(__always) func current(_ reference: RowReference) -> RowReference {
        reference.primaryKey < 0 ? promoted(reference) : reference
    }

    private func promoted(_ reference: RowReference) -> RowReference {
        guard let key = promotions?.permanentKey(reference.primaryKey) else { return reference }
        return RowReference(entityIndex: reference.entityIndex, primaryKey: key)
    }

    /// What the temporary keys of this context's tree have become; nil if it is no tree.
    private var promotions: KeyPromotions? {
        // The context that saves to the coordinator has no log above it: its children have made it.
        source.promotions ?? asParent.withLock { $0.parent }?.promotions
    }

    /// Gives objects the permanent keys that saves higher up have given their rows.
    func adoptPromotions() {
        // The log only grows, so that a count says what is adopted.
        guard let promotions = source.promotions?.after(adoptedPromotions), !promotions.isEmpty
        else { return }
        adoptedPromotions += promotions.count
        for promotion in promotions {
            for store in storeRegistries {
                let registry = registry(promotion.entityIndex, in: store.store)
                guard let object = registry.identityMap.object(promotion.temporary) else {
                    continue
                }
                // In three steps, for the map finds an object by the key that it has.
                registry.identityMap.remove(promotion.temporary, object)
                object.primaryKey = promotion.permanent
                registry.identityMap.set(promotion.permanent, object)
            }
        }
    }

    /// Tells the contexts below what temporary keys of objects here have become.
    ///
    /// - Parameter formerKeys: What each object's key was before.
    func promote(_ objects: [NSManagedObject], from formerKeys: some Sequence<Int64>) {
        guard let promotions else { return }
        promotions.note(
            zip(objects, formerKeys).map { object, formerKey in
                KeyPromotion(
                    entityIndex: object.layout.index,
                    temporary: formerKey,
                    permanent: object.primaryKey
                )
            }
        )
    }
}
