/// The content of one object's to-many relationship.
///
/// Until it is asked for, it knows only what was added and removed, so that setting the to-one side
/// of a thousand objects does not read the other side.
///
/// > Threading: Confined to the context's queue.
final class ToManyCollection {
    /// The content; nil until it is read.
    private(set) var objects: [NSManagedObject]?
    /// What was added since the last save, in order.
    var added: [NSManagedObject] { additions.objects }
    /// What was removed since the last save.
    var removed: [NSManagedObject] { removals.objects }
    private var additions = ChangedMembers()
    private var removals = ChangedMembers()
    /// Members that were given to the owner here, and count as no change of the relationship.
    private(set) var claimed: [ObjectIdentifier: NSManagedObject] = [:]
    /// Whether an ordered relationship's order was changed.
    private(set) var isReordered = false
    /// The order made here, kept while a changed order's content is not loaded.
    private var unloadedOrder: [NSManagedObject]?
    /// `objects` as clients see it, made on demand.
    var publicValue: AnyObject?
    /// `objects` as the `Set` that a typed accessor last made of them.
    var typedSet: Any?

    /// Where each object is in `objects`; made on the first look-up.
    private var positions: [ObjectIdentifier: Int]?
    /// Changes that others have made as well, as the last load has shown: taking one back here is
    /// a change in itself.
    private var alike: Set<ObjectIdentifier> = []

    /// Whether the content could not be read when it was last asked for.
    var isUnread = false

    /// While consistency is checked: the last commit before the content was read.
    var readAt: UInt64 = 0

    deinit {
        // The sets first: members that nobody else holds end in the order in which they lie in memory.
        forgetViews()
    }

    var isLoaded: Bool { objects != nil }
    var hasChanges: Bool { !additions.isEmpty || !removals.isEmpty || isReordered }

    /// Whether an object was added or removed since the last save.
    func isChanged(_ object: NSManagedObject) -> Bool {
        let identifier = ObjectIdentifier(object)
        return additions.contains(identifier) || removals.contains(identifier)
    }

    /// Takes what the store holds, and puts the changes on top.
    func load(_ stored: [NSManagedObject]) {
        var content = stored
        if hasChanges {
            let known = Set(stored.map(ObjectIdentifier.init))
            // Changes that the store agrees with by now: added and in it, or removed and not in it.
            // They are no changes of the content, but they count again if they are taken back.
            alike = known.intersection(additions.identifiers)
                .union(removals.identifiers.filter { !known.contains($0) })
            content.removeAll { removals.contains(ObjectIdentifier($0)) }
            content += added.filter { !known.contains(ObjectIdentifier($0)) }
        }
        objects = unloadedOrder.map { Self.arranged(content, $0) } ?? content
        unloadedOrder = nil
        positions = nil
        forgetViews()
    }

    /// Content in a given order; what the order does not know comes last.
    private static func arranged(
        _ content: [NSManagedObject],
        _ order: [NSManagedObject]
    ) -> [NSManagedObject] {
        var rest = Set(content.map(ObjectIdentifier.init))
        let known = order.filter { rest.remove(ObjectIdentifier($0)) != nil }
        return known + content.filter { rest.contains(ObjectIdentifier($0)) }
    }

    /// nil if the content is not loaded and the changes don't tell.
    func contains(_ object: NSManagedObject) -> Bool? {
        let identifier = ObjectIdentifier(object)
        if additions.contains(identifier) { return true }
        if removals.contains(identifier) { return false }
        guard objects != nil else { return nil }
        return position(identifier) != nil
    }

    /// Adds an object that is not in it.
    ///
    /// - Parameters:
    ///   - index: The place in an ordered relationship; nil for the end.
    ///   - isOrdered: Whether the relationship is ordered.
    /// - Returns: Whether that is a change, and not one that is taken back.
    @discardableResult func add(
        _ object: NSManagedObject,
        at index: Int? = nil,
        isOrdered: Bool = false
    ) -> Bool {
        let identifier = ObjectIdentifier(object)
        let isTakenBack = removals.remove(identifier)
        // A deleted object can't come back: a save has to see that it was added.
        let isChange =
            !isTakenBack || alike.contains(identifier) || object.flags.contains(.deletePropagated)
        if isChange { additions.append(object) }
        guard let count = objects?.count else { return isChange }
        forgetViews()
        // The store has it at the place that it was removed from.
        if isTakenBack, isOrdered { isReordered = true }
        if let index, index < count {
            objects?.insert(object, at: index)
            positions = nil
            isReordered = true
        } else {
            positions?[identifier] = count
            objects?.append(object)
        }
        return isChange
    }

    /// Removes an object that is in it.
    func remove(_ object: NSManagedObject, keepsOrder: Bool) {
        let identifier = ObjectIdentifier(object)
        if !claimed.isEmpty { claimed[identifier] = nil }
        let isTakenBack = additions.remove(identifier)
        if !isTakenBack || alike.contains(identifier) { removals.append(object) }
        guard objects != nil, let position = position(identifier) else { return }
        forgetViews()
        if keepsOrder {
            // Everything behind it has moved: the positions are worked out again when they are
            // needed.
            objects?.remove(at: position)
            positions = nil
        } else if let last = objects?.popLast(), last !== object {
            // The last one fills the gap, for order means nothing here: other positions hold.
            objects?[position] = last
            positions?[identifier] = nil
            positions?[ObjectIdentifier(last)] = position
        } else {
            positions?[identifier] = nil
        }
    }

    /// Notes an object that is in it as added. The store had it: taking that back is a removal.
    func keepAdded(_ object: NSManagedObject) {
        additions.append(object)
        alike.insert(ObjectIdentifier(object))
    }

    /// Notes a member that says itself whom it belongs to, without being a change of this
    /// relationship: the store may come to hold it elsewhere.
    func claim(_ object: NSManagedObject) {
        claimed[ObjectIdentifier(object)] = object
    }

    /// Notes an object that is not in it as removed. The store had it not: taking that back is an
    /// addition.
    func keepRemoved(_ object: NSManagedObject) {
        removals.append(object)
        alike.insert(ObjectIdentifier(object))
    }

    /// Drops a changed order; what was added and removed stays.
    func dropOrder() {
        // First, since unloading keeps the order of a content that was reordered.
        isReordered = false
        unload()
        unloadedOrder = nil
    }

    /// Leaves an object of an ordered relationship where the store has it, whether it was removed
    /// here or not.
    func dropRemoval(of object: NSManagedObject) {
        if removals.remove(ObjectIdentifier(object)) {
            alike.remove(ObjectIdentifier(object))
            // An order made here is kept from the content when that is unloaded: the object has to
            // be in it.
            if isReordered { objects?.append(object) }
        }
        unload()
    }

    /// Takes back the addition of an object; what the store holds is read again.
    func dropAddition(of object: NSManagedObject) {
        if additions.remove(ObjectIdentifier(object)) {
            alike.remove(ObjectIdentifier(object))
        }
        unload()
    }

    /// Takes in an object that the store has added; that is no change.
    func gain(_ object: NSManagedObject) {
        guard let count = objects?.count, !isChanged(object), contains(object) == false else {
            return
        }
        positions?[ObjectIdentifier(object)] = count
        objects?.append(object)
        forgetViews()
    }

    /// Drops an object that the store has removed; that is no change.
    func lose(_ object: NSManagedObject) {
        guard !isChanged(object), let position = position(ObjectIdentifier(object)) else { return }
        objects?.remove(at: position)
        positions = nil
        forgetViews()
    }

    /// Drops objects whose rows were deleted: they are neither content nor changes any more.
    ///
    /// - Returns: Whether there were any.
    func forgetGone() -> Bool {
        func isGone(_ object: NSManagedObject) -> Bool { object.flags.contains(.gone) }
        let goneChanges = additions.remove(where: isGone) + removals.remove(where: isGone)
        alike.subtract(goneChanges)
        for identifier in claimed.keys where claimed[identifier].map(isGone) == true {
            claimed[identifier] = nil
        }
        unloadedOrder?.removeAll(where: isGone)
        guard objects?.contains(where: isGone) == true else { return !goneChanges.isEmpty }
        objects?.removeAll(where: isGone)
        positions = nil
        forgetViews()
        return true
    }

    /// Puts the content, which stays the same, in another order.
    func reorder(_ content: [NSManagedObject]) {
        objects = content
        positions = nil
        forgetViews()
        isReordered = true
    }

    /// Forgets the changes after a save, which has written them.
    func markClean() {
        additions = ChangedMembers()
        removals = ChangedMembers()
        alike = []
        claimed = [:]
        isReordered = false
        unloadedOrder = nil
    }

    /// Forgets the content, so that it is read again; changes stay.
    func unload() {
        // An order that was changed has no record but the content itself.
        if isReordered, let objects { unloadedOrder = objects }
        objects = nil
        positions = nil
        forgetViews()
    }

    private func forgetViews() {
        publicValue = nil
        typedSet = nil
    }

    private func position(_ identifier: ObjectIdentifier) -> Int? {
        if let positions { return positions[identifier] }
        guard let objects else { return nil }
        var map = [ObjectIdentifier: Int](minimumCapacity: objects.count)
        for (index, object) in objects.enumerated() { map[ObjectIdentifier(object)] = index }
        positions = map
        return map[identifier]
    }
}
