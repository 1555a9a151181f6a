import Foundation

/// What the objects of a context were before the event under way changed them.
///
/// It is there only while the context has an undo manager. An object's state and each of its slots
/// are noted once an event, before their first change.
///
/// > Threading: Confined to the context's queue.
final class UndoJournal {
    /// Off while changes are made that are never undone: merges, refreshes, conflicts resolved.
    var isSuspended = false
    private var entries: [Entry] = []
    private var places: [ObjectIdentifier: Int] = [:]

    /// One object before its first change in the event.
    private struct Entry {
        let object: NSManagedObject
        /// nil if only values have changed.
        var state: UndoChange.State?
        var noted = SlotSet()
        var values: [UndoChange.Value] = []
        var lists: [UndoChange.List] = []
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Notes the state of an object that is about to be inserted, updated, deleted, or none of it.
    func noteState(of object: NSManagedObject) {
        // What a merge has removed is not the user's deletion.
        guard !isSuspended, !object.flags.contains(.gone) else { return }
        let place = place(of: object)
        if entries[place].state == nil { entries[place].state = UndoChange.State(of: object) }
    }

    /// Notes a property that is about to be changed.
    func note(_ slot: Int, of object: NSManagedObject) {
        guard !isSuspended else { return }
        let place = place(of: object)
        guard !entries[place].noted.contains(slot) else { return }
        entries[place].noted.insert(slot)
        if object.layout.slots[slot].isToMany {
            entries[place].lists.append(UndoChange.List(slot, of: object))
        } else {
            // Reading may fire a fault, whose hooks may change other objects.
            let value = UndoChange.Value(slot, of: object)
            entries[place].values.append(value)
        }
    }

    /// Forgets what was noted of an object.
    func forget(_ object: NSManagedObject) {
        guard let place = places[ObjectIdentifier(object)] else { return }
        // Emptied and not removed: `places` has the numbers of those behind it.
        entries[place] = Entry(object: object)
    }

    func removeAll() {
        entries = []
        places = [:]
    }

    /// The changes since the last call; nil if nothing really differs.
    func take() -> UndoChange? {
        let taken = entries
        removeAll()
        let objects = taken.compactMap { entry -> UndoChange.Object? in
            let now = UndoChange.State(of: entry.object)
            // A value that was set and set back is nothing to undo.
            let values = entry.values.filter { $0.differs(in: entry.object) }
            let lists = entry.lists.compactMap { $0.closed(in: entry.object) }
            // Whether an object counts as updated follows from its values.
            let before = entry.state ?? now
            // Inserted and deleted in one event.
            if before == .absent, now == .absent { return nil }
            let isMoved = before != now && !(before.isUnmoved && now.isUnmoved)
            guard isMoved || !values.isEmpty || !lists.isEmpty else { return nil }
            return UndoChange.Object(
                object: entry.object,
                state: before,
                isMoved: isMoved,
                values: values,
                lists: lists
            )
        }
        return objects.isEmpty ? nil : UndoChange(objects: objects)
    }

    private func place(of object: NSManagedObject) -> Int {
        if let place = places[ObjectIdentifier(object)] { return place }
        entries.append(Entry(object: object))
        places[ObjectIdentifier(object)] = entries.count - 1
        return entries.count - 1
    }
}
