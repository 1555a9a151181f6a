import Foundation

/// The changes of one event, as what must be restored to undo them.
///
/// > Threading: Confined to the context's queue.
struct UndoChange {
    let objects: [Object]

    /// One object before the event.
    struct Object {
        let object: NSManagedObject
        let state: State
        /// Whether the event inserted or deleted the object, or took that back.
        let isMoved: Bool
        let values: [Value]
        let lists: [List]
    }

    /// What an object was in its context.
    enum State {
        /// Not in the context: not inserted yet, or its insertion was taken back.
        case absent
        case clean, inserted, updated, deleted

        init(of object: NSManagedObject) {
            if object.flags.contains(.detached) {
                self = .absent
            } else if object.flags.contains(.inserted) {
                self = .inserted
            } else if object.flags.contains(.updated) {
                self = .updated
            } else if object.flags.contains(.deleted) {
                self = .deleted
            } else if object.row == nil, !object.flags.contains(.fault) {
                // No row, and no fault that could get one: its insertion was taken back.
                self = .absent
            } else {
                self = .clean
            }
        }

        /// Whether the object was in the store, and was to stay there.
        var isUnmoved: Bool { self == .clean || self == .updated }
    }

    /// An attribute or a to-one relationship before the event.
    struct Value {
        let slot: Int
        private let content: SlotValue
        /// Whether the value differed from the row already.
        private let wasChanged: Bool
        private let row: Row?

        init(_ slot: Int, of object: NSManagedObject) {
            self.slot = slot
            content = Self.content(slot, of: object)
            wasChanged = object.overlay?.changed.contains(slot) ?? false
            row = object.row
        }

        func differs(in object: NSManagedObject) -> Bool {
            let now = Self.content(slot, of: object)
            if case .box(let before) = content, case .box(let now) = now { return before !== now }
            return !content.isSame(as: now)
        }

        /// Sets the property to what it was.
        func restore(in object: NSManagedObject) {
            let property = object.layout.slots[slot]
            if property.isRelationship {
                // By the setter and not by the box, so that the other end follows. An object that
                // has left the context can't be related to any more.
                guard case .box(let content) = content, let related = content as? NSManagedObject,
                    !related.flags.contains(.detached)
                else { return object.setToOne(slot, nil) }
                object.setToOne(slot, related)
            } else if property.kind == .transformable || property.kind == .volatile {
                object.fireIfFault()
                object.change(slot) {
                    if case .box(let value) = content {
                        object.ensureOverlay().setBox(slot, value)
                    } else {
                        object.ensureOverlay().setBox(slot, nil)
                    }
                }
                // Boxes can't be compared with rows.
                if !wasChanged, row != nil, row === object.row {
                    object.overlay?.changed.remove(slot)
                }
            } else {
                object.setSlot(slot, content)
            }
        }

        private static func content(_ slot: Int, of object: NSManagedObject) -> SlotValue {
            let property = object.layout.slots[slot]
            if property.isRelationship {
                return object.toOneObject(slot).map { .box($0) } ?? .null
            }
            switch property.kind {
            case .transformable, .volatile:
                // Reading makes the box, so that it is the same one each time.
                _ = object.anyValue(slot)
                return object.overlay?.box(slot).content.map { .box($0) } ?? .null
            default:
                return object.slotValue(slot)
            }
        }
    }

    /// A to-many relationship before the event, known by the changes that it had: reading it from
    /// the store is not needed, and what a merge brings in later stays.
    struct List {
        let slot: Int
        private let collection: ToManyCollection
        /// While the event lasts, the unsaved changes that were there before it; then what the
        /// event added and removed.
        private var added: [NSManagedObject]
        private var removed: [NSManagedObject]
        /// The order of an ordered relationship, if it was read.
        private var order: [NSManagedObject]?

        init(_ slot: Int, of object: NSManagedObject) {
            self.slot = slot
            collection = object.toMany(slot)
            added = collection.added
            removed = collection.removed
            order = object.layout.slots[slot].isOrdered ? collection.objects : nil
        }

        /// What the event did to the relationship; nil if it left it as it was.
        func closed(in object: NSManagedObject) -> List? {
            // A collection that was dropped took its changes with it.
            guard object.toMany(slot) === collection else { return nil }
            let before = (added: Set(added), removed: Set(removed))
            let now = (added: Set(collection.added), removed: Set(collection.removed))
            var result = self
            // An addition that took back a removal is in no list any more: it shows by the removal
            // that is gone. The same holds for removals.
            result.added =
                collection.added.filter { !before.added.contains($0) }
                + removed.filter { !now.removed.contains($0) && !now.added.contains($0) }
            result.removed =
                collection.removed.filter { !before.removed.contains($0) }
                + added.filter { !now.added.contains($0) && !now.removed.contains($0) }
            if let order, let now = collection.objects, order.elementsEqual(now, by: ===) {
                result.order = nil
            }
            return result.added.isEmpty && result.removed.isEmpty && result.order == nil
                ? nil : result
        }

        /// Takes back what the event added and removed.
        func restore(in object: NSManagedObject) {
            for related in added where !related.flags.contains(.detached) {
                object.removeFromToMany(slot, related)
            }
            for related in removed where !related.flags.contains(.detached) {
                object.addToToMany(slot, related)
            }
        }

        /// Puts the objects in the order that they had; those that came since go behind them.
        func restoreOrder(in object: NSManagedObject) {
            guard let order else { return }
            let content = object.toManyObjects(slot)
            let members = Set(content), ordered = Set(order)
            let wanted = order.filter(members.contains) + content.filter { !ordered.contains($0) }
            guard !wanted.elementsEqual(content, by: ===) else { return }
            object.change(slot) { object.toMany(slot).reorder(wanted) }
        }
    }
}
