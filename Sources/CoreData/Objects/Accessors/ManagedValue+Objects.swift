import Foundation

extension NSManagedObject: _ManagedValue {
    /// The object of a to-one relationship.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Self? {
        guard let found = object._accessorObject(key) else {
            return object._probe(for: key, Self.self)
        }
        // Nearly always: comparing two classes spares a cast, which looks along the superclasses.
        if type(of: found) == Self.self { return unsafeDowncast(found, to: Self.self) }
        return found as? Self ?? object._accessorPlaceholder(key, "\(found)")
    }
    /// No object: a null pointer, as on Apple's platforms, where a relationship that is declared as
    /// not optional may be read as long as the object is not used.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Self {
        unsafeBitCast(Self?.none, to: Self.self)
    }
    /// Sets a to-one relationship.
    @inlinable public static func _write(
        _ value: NSManagedObject?,
        _ object: NSManagedObject,
        _ key: Int
    ) {
        object._setAccessorObject(value, key)
    }
}

extension Set: _ManagedValue where Element: NSManagedObject {
    /// The objects of a to-many relationship. The set is kept until they change.
    @inlinable public static func _read(_ object: NSManagedObject, _ key: Int) -> Set<Element>? {
        if let known = object._accessorKnownSet(key) as? Set<Element> { return known }
        let objects = object._accessorObjects(key)
        var set = Set<Element>(minimumCapacity: objects.count)
        for found in objects {
            set.insert(found as? Element ?? object._accessorPlaceholder(key, "\(found)"))
        }
        object._accessorKeep(set, key)
        return set
    }
    /// No objects.
    @inlinable public static func _null(_ object: NSManagedObject, _ key: Int) -> Set<Element> {
        []
    }
    /// Replaces the objects of a to-many relationship.
    @inlinable public static func _write(
        _ value: Set<Element>?,
        _ object: NSManagedObject,
        _ key: Int
    ) {
        object._setAccessorAny(value.map(Array.init), key)
    }
}

extension NSManagedObject {
    /// A value as another type.
    ///
    /// A null is nil if the type is optional, and an empty value if it has one.
    public final func _accessorCast<Value>(_ key: Int, _: Value.Type) -> Value {
        let value = _accessorAny(key)
        // By way of `Any`, so that nil becomes nil within an optional type instead of a failed
        // cast.
        if let cast = (value as Any) as? Value { return cast }
        if let view = mutableView(key) as? Value { return view }
        if value == nil, let empty = Self.empty(Value.self) { return empty }
        return _accessorPlaceholder(key, value.map { "\(type(of: $0))" } ?? "nil")
    }

    /// What properties declared as `NSMutableSet` give.
    private func mutableView(_ key: Int) -> Any? {
        let entry = accessorEntry(key)
        guard entry.isValue(.toMany) else { return nil }
        return layout.slots[entry.slot].isOrdered
            ? RelationshipOrderedSet(self, entry.slot) : RelationshipSet(self, entry.slot)
    }

    /// What Apple's bridging makes of nil.
    private static func empty<Value>(_: Value.Type) -> Value? {
        Data() as? Value ?? [AnyHashable]() as? Value ?? [AnyHashable: Any]() as? Value
            ?? Set<AnyHashable>() as? Value
    }

    /// A value for a key path to be evaluated with; stops the program for any other object, whose
    /// value is not of the property's type.
    public final func _accessorPlaceholder<Value>(_ key: Int, _ found: String) -> Value {
        if KeyPathProbe.isProbe(self), let value = KeyPathProbe.placeholder(Value.self) {
            return value
        }
        let name = AccessorNames.name(key)
        fatalError(
            found == "nil"
                ? "\(layout.name).\(name) is nil, but its class declares it as \(Value.self): declare "
                    + "it as optional, or set it in awakeFromInsert()."
                : "\(layout.name).\(name) is \(found), which is no \(Value.self), as its class "
                    + "declares: compare the type with the model's, and the class names of the "
                    + "model's entities with the classes."
        )
    }

    /// An object of a relationship's class, if this one only serves to follow a key path.
    public final func _probe<Value: NSManagedObject>(for key: Int, _: Value.Type) -> Value? {
        KeyPathProbe.isProbe(self) ? KeyPathProbe.placeholder(Value.self) : nil
    }
}
