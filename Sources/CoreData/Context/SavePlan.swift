import Foundation

/// What a save will write, worked out before anything is: for each store the rows, and the objects
/// that they belong to.
struct SavePlan {
    /// The changes of one store.
    struct Part {
        let store: any RowStore
        var changes = StoreChangeSet()
        let receipt = HistoryReceipt()
        /// The objects of `changes`: of its inserts and its updates in the same order, of its
        /// deletes in none.
        var objects = ChangeSet<NSManagedObject>()
        /// Objects of which only to-many relationships changed.
        var touched: [NSManagedObject] = []
        /// Memory for new rows, by root entity: the store has a cache for each.
        fileprivate var allocators: [Int: SlabAllocator] = [:]

        /// What the store is asked for, with the name of who asks.
        func save(by origin: ChangeOrigin) -> StoreSave {
            var changes = changes
            changes.origin = origin
            changes.origin.receipt = receipt
            var objects = objects
            objects.updated += touched
            return StoreSave(store: store, changes: changes, objects: objects)
        }

        /// Gives the objects the rows that were written for them.
        func adopt() {
            for (object, row) in zip(objects.inserted, changes.inserts) {
                object.row = row
                object.flags.remove(.fault)
                object.markSaved()
                object.registry.announce(object)
            }
            for (object, update) in zip(objects.updated, changes.updates) {
                object.row = update.row
            }
        }

        /// What a merge needs to know of this part.
        var saved: SavedChanges.InStore {
            var saved = SavedChanges.InStore(
                store: store,
                inserted: changes.inserts,
                touched: touched.compactMap(\.rowReference),
                deleted: changes.deletes.map(\.reference)
            )
            for update in changes.updates { saved.update(update.row) }
            // Who owned a row that was given to somebody else need not have known it: it may have
            // come by a save that is not merged yet.
            var known = Set(saved.touched)
            // In ascending order: `SavedChanges` searches the moves of a row by halves.
            for (index, object) in objects.updated.enumerated() {
                let update = changes.updates[index]
                for slot in update.changed.members {
                    let property = object.layout.slots[slot]
                    guard property.kind == .toOne, property.inverseSlot >= 0 else { continue }
                    for owner in [update.old.reference(slot), update.row.reference(slot)] {
                        guard let owner else { continue }
                        saved.moves.append(SavedChanges.Move(index: index, owner: owner))
                        if known.insert(owner).inserted { saved.touched.append(owner) }
                    }
                }
            }
            return saved
        }
    }

    /// The objects that the save is about.
    let changes: ChangeSet<NSManagedObject>
    private(set) var parts: [Part] = []
    /// The IDs of what is written, in the making.
    private(set) var idsAhead: SavedChanges.IDsAhead?
    /// A version is what a store has; a save into a parent makes none.
    private let versionStep: Int32
    /// The registry of the last object, the part of its store, and memory for its row.
    private var latest: (registry: Unmanaged<ObjectRegistry>, part: Int, allocator: SlabAllocator)?

    /// - Throws: What values that can't be stored throw.
    init(_ changes: ChangeSet<NSManagedObject>, context: NSManagedObjectContext) throws {
        self.changes = changes
        versionStep = context.source.isStoreLevel ? 1 : 0
        var yieldPoint = YieldPoint()
        for object in changes.inserted {
            try insert(object)
            yieldPoint.pass()
        }
        for object in changes.updated {
            try update(object)
            yieldPoint.pass()
        }
        for object in changes.deleted {
            try delete(object)
            yieldPoint.pass()
        }
        for index in parts.indices { parts[index].sort() }
    }

    /// Has the IDs of the rows made while these are written to stores.
    mutating func makeIDsAhead(_ layouts: [EntityLayout]) {
        idsAhead = SavedChanges.IDsAhead(parts, layouts)
    }

    /// The place in the histories of the stores after the save; nil if none of them keeps one.
    var historyToken: NSPersistentHistoryToken? {
        var numbers: [String: Int64] = [:]
        for part in parts {
            if let number = part.receipt.transactionNumber {
                numbers[part.store.identifier] = number
            }
        }
        return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
    }

    private mutating func part(_ object: NSManagedObject) -> (Int, SlabAllocator)? {
        // Objects mostly come in runs of one entity.
        if let latest, object.heldRegistry.toOpaque() == latest.registry.toOpaque() {
            return (latest.part, latest.allocator)
        }
        let registry = object.registry
        guard let store = registry.store else { return nil }
        let part = part(of: store)
        let root = registry.layout.rootIndex
        let allocator = parts[part].allocators[root] ?? SlabAllocator()
        parts[part].allocators[root] = allocator
        // The objects of the plan keep it alive.
        latest = (.passUnretained(registry), part, allocator)
        return (part, allocator)
    }

    private mutating func part(of store: any RowStore) -> Int {
        for index in parts.indices where parts[index].store === store { return index }
        parts.append(Part(store: store))
        return parts.count - 1
    }

    private mutating func insert(_ object: NSManagedObject) throws {
        guard let (index, allocator) = part(object) else { return }
        if !object.layout.derivedSlots.isEmpty { object.deriveValues() }
        parts[index].changes.inserts.append(try object.makeInsertedRow(in: allocator))
        parts[index].objects.inserted.append(object)
        if object.flags.contains(.reinserted) {
            parts[index].changes.reinserts.insert(object.anyReference)
        }
        try planBoxes(object, index)
    }

    private mutating func update(_ object: NSManagedObject) throws {
        // It may count as updated and have nothing on top of its row: then nothing is written.
        guard let (index, allocator) = part(object), let overlay = object.overlay else { return }
        if !object.layout.derivedSlots.isEmpty { object.deriveValues() }
        // A slot that was set to what the row has already does not count: to write it would raise
        // the version, and be a conflict for others about nothing.
        var changed = SlotSet()
        for slot in overlay.changed.members
        where object.layout.slots[slot].kind.isInRow && object.differsFromRow(slot) {
            changed.insert(slot)
        }
        if changed.isEmpty {
            parts[index].touched.append(object)
        } else {
            guard let old = try object.registry.context?.rowForSaving(object) else { return }
            parts[index].changes.updates.append(
                StoreChangeSet.Update(
                    row: try object.makeUpdatedRow(
                        old,
                        changed,
                        // A file may have the largest there is.
                        version: old.version &+ versionStep,
                        in: allocator
                    ),
                    old: old,
                    changed: changed
                )
            )
            parts[index].objects.updated.append(object)
        }
        try planBoxes(object, index)
    }

    private mutating func delete(_ object: NSManagedObject) throws {
        guard !object.flags.contains(.gone), !object.flags.contains(.neverSaved) else { return }
        // The version is needed, which the statement names: a row that others have changed since
        // must be a conflict, also where it is to go.
        object.fireIfFault()
        guard let row = try object.registry.context?.rowForSaving(object),
            let (index, _) = part(object)
        else { return }
        parts[index].objects.deleted.append(object)
        parts[index].changes.deletes.append(
            StoreChangeSet.Delete(reference: object.anyReference, version: row.version)
        )
    }

    /// What an object's boxes have for the store beside its row.
    @inline(__always) private mutating func planBoxes(
        _ object: NSManagedObject,
        _ index: Int
    ) throws {
        guard object.hasBoxes, let overlay = object.overlay else { return }
        // Only a parent has a place for them; stores have none.
        if versionStep == 0 { planTransient(object, overlay, index) }
        try planToMany(object, overlay, index)
    }

    /// The transient attributes that were set, for a parent: it has the same objects.
    private mutating func planTransient(
        _ object: NSManagedObject,
        _ overlay: Overlay,
        _ index: Int
    ) {
        for box in overlay.boxes where overlay.changed.contains(box.slot) {
            let slot = object.layout.slots[box.slot]
            guard slot.kind == .volatile, !slot.isRelationship else { continue }
            parts[index].changes.transientValues.append(
                StoreChangeSet.TransientValue(
                    owner: object.anyReference,
                    slot: box.slot,
                    content: box.content
                )
            )
        }
    }

    /// The changes of to-many relationships that no row's to-one says.
    private mutating func planToMany(
        _ object: NSManagedObject,
        _ overlay: Overlay,
        _ index: Int
    ) throws {
        guard let owner = object.rowReference else { return }
        for box in overlay.boxes {
            guard let collection = box.content as? ToManyCollection, collection.hasChanges else {
                continue
            }
            let slot = object.layout.slots[box.slot]
            guard slot.kind == .toMany,
                slot.isManyToMany || slot.inverseSlot < 0 || slot.isOrdered
            else { continue }
            var change = StoreChangeSet.ToManyChange(
                owner: owner,
                slot: box.slot,
                added: [],
                removed: [],
                order: nil
            )
            // Members of all other relationships say in their own rows whom they belong to.
            if slot.isManyToMany || slot.inverseSlot < 0 {
                change.added = try collection.added.compactMap { try reference($0, object, slot) }
                // Rows that go in this save take their entries with them.
                change.removed = collection.removed.compactMap(\.rowReference)
            }
            if slot.isOrdered {
                change.order = try object.readToMany(box.slot)
                    .compactMap { try reference($0, object, slot) }
            }
            parts[index].changes.toManyChanges.append(change)
        }
    }

    private func reference(
        _ related: NSManagedObject,
        _ owner: NSManagedObject,
        _ slot: PropertySlot
    ) throws -> RowReference? {
        // A rule may leave deleted objects in a relationship; no row of the store is to name them.
        guard related.flags.isDisjoint(with: [.deleted, .detached]) else { return nil }
        guard related.registry.store === owner.registry.store else {
            throw CocoaError.externalRelationship(
                entity: owner.layout.name,
                key: slot.name,
                object: owner
            )
        }
        return related.rowReference
    }
}

extension SavePlan.Part {
    /// Puts rows in the order of their entities and keys, so that the same changes give the same
    /// statements, and tables grow at their end.
    fileprivate mutating func sort() {
        // Rows and objects move together, for `adopt()` pairs them by their places.
        let inserts = changes.inserts
        if let order = Self.order(inserts.map { $0.reference.rawValue }) {
            changes.inserts = order.map { inserts[$0] }
            objects.inserted = order.map { [objects] in objects.inserted[$0] }
        }
        let updates = changes.updates
        if let order = Self.order(updates.map { $0.row.reference.rawValue }) {
            changes.updates = order.map { updates[$0] }
            objects.updated = order.map { [objects] in objects.updated[$0] }
        }
        changes.deletes.sort { $0.reference.rawValue < $1.reference.rawValue }
    }

    /// nil if the keys ascend already.
    private static func order(_ keys: [UInt64]) -> [Int]? {
        guard zip(keys, keys.dropFirst()).contains(where: { $0 > $1 }) else { return nil }
        return keys.indices.sorted { keys[$0] < keys[$1] }
    }
}
