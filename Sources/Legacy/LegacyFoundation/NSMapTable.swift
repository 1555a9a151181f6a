import Foundation

/// A dictionary that may hold its keys or its values weakly.
///
/// > Threading: Not safe: one thread at a time.
open class NSMapTable<KeyType: AnyObject, ObjectType: AnyObject>: NSObject {
    private let keyOptions: NSPointerFunctions.Options
    private let valueOptions: NSPointerFunctions.Options
    private var entries: [TableKey: TableSlot] = [:]
    private var sweeps = TableSweeps()

    /// Makes an empty table.
    ///
    /// - Parameters:
    ///   - keyOptions: How it holds and compares keys.
    ///   - valueOptions: How it holds values.
    ///   - initialCapacity: For how many entries there is to be room.
    public init(
        keyOptions: NSPointerFunctions.Options = [],
        valueOptions: NSPointerFunctions.Options = [],
        capacity initialCapacity: Int = 0
    ) {
        self.keyOptions = keyOptions
        self.valueOptions = valueOptions
        entries.reserveCapacity(initialCapacity)
        super.init()
    }

    /// A table that keeps keys and values.
    open class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable() }
    /// A table that keeps keys.
    open class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(valueOptions: .weakMemory)
    }
    /// A table that keeps values. That of a key that has ended is let go of when the table has
    /// doubled, at the latest.
    open class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory)
    }
    /// A table that keeps nothing.
    open class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    /// The value of a key, or nil.
    open func object(forKey key: KeyType?) -> ObjectType? {
        key.flatMap { entries[TableKey($0, lookup)]?.object as? ObjectType }
    }

    /// Sets the value of a key; nil removes it.
    open func setObject(_ object: ObjectType?, forKey key: KeyType?) {
        guard let key else { return }
        // Removed first: a dictionary keeps its old key when the value is replaced, and a weak one
        // would end the new entry with the old key's object.
        removeObject(forKey: key)
        guard let object else { return }
        if sweeps.isDue(at: entries.count) {
            entries = entries.filter { $0.key.slot.object != nil && $0.value.object != nil }
            sweeps.left(entries.count)
        }
        entries[TableKey(key, keyOptions)] = TableSlot(object, valueOptions)
    }

    /// Removes a key and its value.
    open func removeObject(forKey key: KeyType?) {
        if let key { entries[TableKey(key, lookup)] = nil }
    }

    /// Removes all keys and values.
    open func removeAllObjects() { entries = [:] }

    /// How many entries have both key and value still.
    open var count: Int { pairs.count }

    /// The keys, in no order.
    open func keyEnumerator() -> NSEnumerator { (pairs.map(\.key) as NSArray).objectEnumerator() }

    /// The values, in no order; nil if there are none.
    open func objectEnumerator() -> NSEnumerator? {
        (pairs.map(\.value) as NSArray).objectEnumerator()
    }

    /// Keys and values in a dictionary, which keeps them.
    open func dictionaryRepresentation() -> [AnyHashable: ObjectType] {
        var result: [AnyHashable: ObjectType] = [:]
        for (key, value) in pairs {
            // Objects of other classes have no equality but identity.
            let name = (key as? NSObject).map(AnyHashable.init)
            result[name ?? AnyHashable(ObjectIdentifier(key))] = value
        }
        return result
    }

    /// A key to look with is compared, not kept.
    private var lookup: NSPointerFunctions.Options { keyOptions.subtracting(.copyIn) }

    private var pairs: [(key: KeyType, value: ObjectType)] {
        entries.compactMap { key, value in
            guard let key = key.slot.object as? KeyType, let value = value.object as? ObjectType
            else { return nil }
            return (key, value)
        }
    }
}
