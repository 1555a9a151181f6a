import Foundation

/// Objects whose values must be unique and are not: against a row of the store, or against each
/// other.
///
/// > Threading: Confined to the queue of the objects' context.
open class NSConstraintConflict: NSObject {
    /// The names of the attributes whose values must be unique together.
    open private(set) var constraint: [String]
    /// The values that are not.
    open private(set) var constraintValues: [String: Any]
    /// The object of the row that has the values in the store; nil if the objects are in conflict
    /// with each other only.
    open private(set) var databaseObject: NSManagedObject?
    /// The values of that row.
    open private(set) var databaseSnapshot: [String: Any]?
    /// The objects that were to be saved with the values; in a conflict of objects only, the one
    /// that comes first would be saved.
    open private(set) var conflictingObjects: [NSManagedObject]
    /// The values of those objects.
    open private(set) var conflictingSnapshots: [[AnyHashable: Any]]
    /// The row of `databaseObject`.
    private var stored: Row?
    /// Whether the context knew `databaseObject` before the conflict.
    private var wasRegistered = true

    /// Describes a conflict.
    public init(
        constraint contraint: [String],
        database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?,
        conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot as? [String: Any]
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.compactMap { $0 as? [AnyHashable: Any] }
        stored = databaseObject?.row
        let first = conflictingSnapshots.first as? [AnyHashable: Any] ?? [:]
        constraintValues = Self.values(contraint, first)
        super.init()
    }

    /// Describes a conflict of nothing.
    public override init() {
        constraint = []
        constraintValues = [:]
        conflictingObjects = []
        conflictingSnapshots = []
        super.init()
    }

    convenience init(
        _ constraint: [String],
        _ databaseObject: (object: NSManagedObject, row: Row, wasRegistered: Bool)?,
        _ objects: [NSManagedObject]
    ) {
        self.init(
            constraint: constraint,
            database: databaseObject?.object,
            databaseSnapshot: databaseObject.map { $0.object.snapshot($0.row) },
            conflicting: objects,
            conflictingSnapshots: objects.map { $0.currentSnapshot() }
        )
        stored = databaseObject?.row
        wasRegistered = databaseObject?.wasRegistered ?? false
    }

    private static func values(
        _ constraint: [String],
        _ snapshot: [AnyHashable: Any]
    ) -> [String: Any] {
        var result: [String: Any] = [:]
        for key in constraint { result[key] = snapshot[key] ?? NSNull() }
        return result
    }

    /// Changes the objects so that a save succeeds.
    ///
    /// Of several objects one stays: the first if the store trumps, else the last. A new object
    /// that stays takes the place of the row that has the values, with the store's values or its
    /// own on top. An object that has a row of its own takes back its change of the values if the
    /// store trumps; else the other row is deleted.
    func resolve(_ type: NSMergePolicyType) {
        // Another conflict of the same save may have been resolved by deleting some of them.
        let objects = conflictingObjects.filter {
            $0.flags.isDisjoint(with: [.deleted, .detached])
        }
        let isObjectTrump =
            type == .mergeByPropertyObjectTrumpMergePolicyType
            || type == .overwriteMergePolicyType
        guard type != .errorMergePolicyType,
            let winner = isObjectTrump ? objects.last : objects.first,
            let context = winner.registry.context
        else { return }
        for loser in objects where loser !== winner {
            context.give(loser, up: constraint, to: winner)
        }
        guard let databaseObject, let stored else { return }
        // An object with a row of its own can't become the object of another row, and no row can
        // change its entity.
        if winner.row != nil || stored.entityIndex != winner.layout.index {
            if isObjectTrump {
                context.delete(databaseObject)
            } else {
                context.give(winner, up: constraint, to: databaseObject)
            }
            return
        }
        let kept =
            isObjectTrump ? winner.slotsToKeep(all: type == .overwriteMergePolicyType) : SlotSet()
        context.replace(databaseObject, by: winner, stored, keeping: kept, wasKnown: wasRegistered)
    }
}

extension NSManagedObject {
    /// The slots in which a new object wins over a row that is there: all, or those that are not as
    /// the model's defaults have them.
    fileprivate func slotsToKeep(all: Bool) -> SlotSet {
        var result = SlotSet()
        for slot in layout.slots where slot.kind.isInRow {
            if slot.kind == .toOne {
                let related = toOneObject(slot.index)
                guard all || related != nil else { continue }
                // Noted as a change: the row that the object takes over would show through
                // otherwise.
                ensureOverlay().setBox(slot.index, related)
                ensureOverlay().changed.insert(slot.index)
            } else if slot.kind == .transformable {
                guard all || overlay?.box(slot.index).content != nil else { continue }
            } else if !all,
                slotValue(slot.index).isSame(as: layout.defaultValues[slot.index])
            {
                continue
            }
            result.insert(slot.index)
        }
        return result
    }
}

extension NSManagedObjectContext {
    /// Lets an object lose a conflict: a new one hands its relationships over and goes, one with a
    /// row takes back its values.
    fileprivate func give(
        _ loser: NSManagedObject,
        up constraint: [String],
        to winner: NSManagedObject
    ) {
        if let row = loser.row {
            // Nothing else of it is in conflict: its other changes are saved on top of its own row.
            var slots = SlotSet()
            for key in constraint {
                if let slot = loser.layout.slot(named: key) { slots.insert(slot.index) }
            }
            yield(loser, to: row, in: slots)
            return
        }
        // Delete rules must not take what the loser has with it.
        for slot in loser.layout.slots where slot.isRelationship && slot.kind != .volatile {
            if slot.isToMany {
                for member in loser.toManyObjects(slot.index) {
                    loser.removeFromToMany(slot.index, member)
                    if winner.layout.slot(named: slot.name)?.property === slot.property {
                        winner.addToToMany(slot.index, member)
                    }
                }
            } else {
                loser.setToOne(slot.index, nil)
            }
        }
        delete(loser)
    }

    /// Makes a new object the object of a row that is there.
    fileprivate func replace(
        _ existing: NSManagedObject,
        by object: NSManagedObject,
        _ stored: Row,
        keeping kept: SlotSet,
        wasKnown: Bool
    ) {
        let registry = existing.registry
        // While it is an object of its own: who it was given to must let go of it, as the row says.
        for slot in object.layout.toOneSlots
        where !kept.contains(slot) && object.toOneObject(slot) != nil {
            object.setToOne(slot, nil)
        }
        // Nobody has seen one that only the conflict has registered, and nobody is told of its end.
        if wasKnown { notePending(.pendingDelete, existing) }
        setState(nil, of: existing)
        leave(existing)
        departed.append(existing)
        // Under the key that it has now: the map never holds an object by a key that is not its
        // own.
        object.registry.identityMap.remove(object.primaryKey, object)
        object.registry = registry
        object.primaryKey = stored.primaryKey
        object.row = stored
        registry.identityMap.set(stored.primaryKey, object)
        setState(.updated, of: object)
        let overlay = object.ensureOverlay()
        for slot in object.layout.slots where slot.kind.isInRow && !kept.contains(slot.index) {
            overlay.changed.remove(slot.index)
        }
        object.forgetStoredRelationships()
        notePending(.pendingUpdate, object)
        guard wasKnown else { return }
        // Objects that have read the existing one find the new one when they look again.
        for other in registeredObjects where other !== object { other.forgetStoredRelationships() }
    }

    /// What a store found not to be unique, as conflicts of objects.
    func conflicts(_ violations: StoreViolations, _ plan: SavePlan) -> [NSConstraintConflict] {
        var saved = Set<RowReference>()
        for part in plan.parts where part.store === violations.store {
            saved.formUnion(part.changes.inserts.lazy.map(\.reference))
            saved.formUnion(part.changes.updates.lazy.map(\.row.reference))
        }
        struct Group: Hashable {
            let constraint: [String]
            let other: RowReference?
        }
        // One conflict for each row that is in the way: of all objects that want its values one
        // stays.
        var order: [Group] = []
        var groups: [Group: [UniquenessViolations.Violation]] = [:]
        for violation in violations.violations {
            let group = Group(constraint: violation.constraint, other: violation.other?.reference)
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(violation)
        }
        func object(_ row: Row) -> NSManagedObject? {
            registry(row.entityIndex, in: violations.store).identityMap.object(row.primaryKey)
        }
        return order.map { group in
            let list = groups[group] ?? []
            let objects = list.compactMap { object($0.row) }
            guard let row = list.first?.other else {
                return NSConstraintConflict(group.constraint, nil, objects)
            }
            let known = object(row)
            // The row in the way is written by this very save: the store has nothing to say in it.
            if let known, saved.contains(row.reference) {
                return NSConstraintConflict(group.constraint, nil, [known] + objects)
            }
            let existing = known ?? self.object(row, in: violations.store)
            return NSConstraintConflict(
                group.constraint,
                (existing, row, known != nil),
                objects
            )
        }
    }
}
