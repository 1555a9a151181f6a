/// What was added to a to-many relationship, or removed from it, in the order in which that
/// happened.
///
/// > Threading: Confined to the context's queue.
struct ChangedMembers {
    /// The members, with nil where one was taken out.
    private var entries: [NSManagedObject?] = []
    /// Where each member is in `entries`.
    private var positions: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { positions.isEmpty }

    /// The members, in order.
    ///
    /// - Complexity: O(*n*).
    var objects: [NSManagedObject] { entries.compactMap(\.self) }

    /// The members' identifiers, in no order.
    var identifiers: some Collection<ObjectIdentifier> { positions.keys }

    func contains(_ identifier: ObjectIdentifier) -> Bool { positions[identifier] != nil }

    /// Puts an object at the end that is not in it.
    mutating func append(_ object: NSManagedObject) {
        positions[ObjectIdentifier(object)] = entries.count
        entries.append(object)
    }

    /// Takes an object out, if it is in it; the others stay in order.
    mutating func remove(_ identifier: ObjectIdentifier) -> Bool {
        guard let position = positions.removeValue(forKey: identifier) else { return false }
        entries[position] = nil
        // Not each time: taking out all of them, one by one, must not move the rest as often.
        if entries.count > 2 * positions.count { closeGaps() }
        return true
    }

    /// Takes out those that a condition holds for.
    ///
    /// - Returns: Their identifiers.
    mutating func remove(where isMeant: (NSManagedObject) -> Bool) -> [ObjectIdentifier] {
        let found = objects.filter(isMeant).map(ObjectIdentifier.init)
        for identifier in found { _ = remove(identifier) }
        return found
    }

    private mutating func closeGaps() {
        entries.removeAll { $0 == nil }
        for (position, object) in entries.enumerated() {
            if let object { positions[ObjectIdentifier(object)] = position }
        }
    }
}
