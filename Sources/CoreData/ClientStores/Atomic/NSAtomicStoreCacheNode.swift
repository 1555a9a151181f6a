import Foundation

/// One object of an atomic store, as the store has it in memory.
///
/// Attributes have the values of key-value access; a to-one relationship has a cache node, a
/// to-many one a set of cache nodes (an `NSOrderedSet` if it is ordered).
///
/// > Threading: A store's nodes are touched in its `load()` and by saves, one at a time.
open class NSAtomicStoreCacheNode: NSObject {
    /// The ID of the object.
    open private(set) var objectID: NSManagedObjectID
    /// The values by property name.
    open var propertyCache: NSMutableDictionary?

    /// Makes a node without values.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    /// The value of a property; nil if it has none.
    @discardableResult
    open func value(forKey key: String) -> Any? { propertyCache?[key] }

    /// Sets the value of a property; nil removes it.
    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        propertyCache = cache
        if let value { cache[key] = value } else { cache.removeObject(forKey: key) }
    }

    /// Lets go of other nodes, which may hold this one.
    func breakRelationships() {
        guard let propertyCache else { return }
        for key in propertyCache.allKeys {
            let value = propertyCache[key]
            // An attribute may be a set, too.
            let member = (value as? NSSet)?.anyObject() ?? (value as? NSOrderedSet)?.firstObject
            if (member ?? value) is NSAtomicStoreCacheNode {
                propertyCache.removeObject(forKey: key)
            }
        }
    }
}
