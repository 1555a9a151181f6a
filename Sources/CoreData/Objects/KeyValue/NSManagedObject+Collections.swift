import Foundation

/// Collections that write through, and access by subscript.
extension NSManagedObject {
    /// A view of a to-many relationship: it shows what the relationship holds, and changing it
    /// changes the relationship with its inverse.
    ///
    /// Cast it to `Set` by way of `allObjects`: Foundation's cast reads the elements that a set
    /// keeps itself, and this one keeps none.
    ///
    /// - Precondition: The key is one of an unordered to-many relationship.
    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        checkQueue("mutableSetValue(forKey:)")
        let slot = requiredSlot(key)
        require(
            slot.isToMany && !slot.isOrdered,
            "mutableSetValue(forKey:): \"\(key)\" is no unordered to-many relationship of the "
                + "entity \(layout.name)."
        )
        return RelationshipSet(self, slot.index)
    }

    /// A view of the to-many relationship at the end of a key path.
    ///
    /// - Precondition: The objects on the way are there.
    public func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = end(of: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// A view of an ordered to-many relationship, which writes through.
    ///
    /// - Precondition: The key is one of an ordered to-many relationship.
    public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        checkQueue("mutableOrderedSetValue(forKey:)")
        let slot = requiredSlot(key)
        require(
            slot.isToMany && slot.isOrdered,
            "mutableOrderedSetValue(forKey:): \"\(key)\" is no ordered to-many relationship of "
                + "the entity \(layout.name)."
        )
        return RelationshipOrderedSet(self, slot.index)
    }

    /// A view of the ordered to-many relationship at the end of a key path.
    ///
    /// - Precondition: The objects on the way are there.
    public func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = end(of: keyPath)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    /// A view of the array at the end of a key path.
    ///
    /// - Precondition: The objects on the way are there.
    public func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
        let (owner, key) = end(of: keyPath)
        return owner.mutableArrayValue(forKey: key)
    }

    /// Checks a value that is to be set at the end of a key path, and may replace it.
    ///
    /// - Throws: What `validateValue(_:forKey:)` of the object at the path's end throws.
    public func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
        let (owner, key) = end(of: keyPath)
        try owner.validateValue(&value, forKey: key)
    }

    private func end(of keyPath: String) -> (owner: NSManagedObject, key: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        let value = KeyValueAccess.value(of: self, path: keyPath[..<dot])
        guard let owner = value as? NSManagedObject else {
            fatalError("The key path \"\(keyPath)\" does not lead to a managed object.")
        }
        return (owner, String(keyPath[keyPath.index(after: dot)...]))
    }
}

extension NSManagedObject {
    /// The value for a key, as `value(forKey:)` and `setValue(_:forKey:)` have it.
    // Generic, so that a subclass may have a subscript of its own that takes a `String`, as clients'
    // classes do from before Apple's framework had one.
    public subscript<Key: StringProtocol>(key: Key) -> Any? {
        get { value(forKey: String(key)) }
        set { setValue(newValue, forKey: String(key)) }
    }
}
