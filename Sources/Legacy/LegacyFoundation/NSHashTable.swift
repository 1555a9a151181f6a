import Foundation

/// A set that may hold its objects weakly.
///
/// > Threading: Not safe: one thread at a time.
open class NSHashTable<ObjectType: AnyObject>: NSObject {
    private let options: NSPointerFunctions.Options
    private var keys: Set<TableKey> = []
    private var sweeps = TableSweeps()

    /// Makes an empty set.
    ///
    /// - Parameters:
    ///   - options: How it holds and compares objects.
    ///   - initialCapacity: For how many objects there is to be room.
    public init(options: NSPointerFunctions.Options = [], capacity initialCapacity: Int = 0) {
        self.options = options
        keys.reserveCapacity(initialCapacity)
        super.init()
    }

    /// A set that does not keep its objects.
    open class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable(options: .weakMemory) }

    /// Puts an object in.
    open func add(_ object: ObjectType?) {
        if sweeps.isDue(at: keys.count) {
            keys = keys.filter { $0.slot.object != nil }
            sweeps.left(keys.count)
        }
        if let object { keys.insert(TableKey(object, options)) }
    }

    /// Takes an object out.
    open func remove(_ object: ObjectType?) {
        if let object { keys.remove(TableKey(object, lookup)) }
    }

    /// Takes all objects out.
    open func removeAllObjects() { keys = [] }

    /// Whether an object, or one that is equal to it, is in.
    open func contains(_ object: ObjectType?) -> Bool { member(object) != nil }

    /// What is in and equal to an object.
    open func member(_ object: ObjectType?) -> ObjectType? {
        guard let object, let index = keys.firstIndex(of: TableKey(object, lookup)) else {
            return nil
        }
        return keys[index].slot.object as? ObjectType
    }

    /// The objects that still live, in no order.
    open var allObjects: [ObjectType] { keys.compactMap { $0.slot.object as? ObjectType } }

    /// One of the objects.
    open var anyObject: ObjectType? { allObjects.first }

    /// How many objects still live.
    open var count: Int { allObjects.count }

    /// The objects that still live, in no order.
    open func objectEnumerator() -> NSEnumerator { (allObjects as NSArray).objectEnumerator() }

    /// A key to look with is compared, not kept.
    private var lookup: NSPointerFunctions.Options { options.subtracting(.copyIn) }
}
