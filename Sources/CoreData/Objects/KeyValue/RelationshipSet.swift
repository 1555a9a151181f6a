import Foundation

/// What `mutableSetValue(forKey:)` gives: a view of a to-many relationship, which changes with it
/// and changes it.
///
/// > Threading: Confined to the queue of the object's context.
final class RelationshipSet: NSMutableSet {
    private let object: NSManagedObject?
    private let slot: Int

    /// The object whose relationship it is, for each use of the set.
    private var owner: NSManagedObject? {
        object?.checkQueue("mutableSetValue(forKey:)")
        return object
    }

    init(_ object: NSManagedObject, _ slot: Int) {
        self.object = object
        self.slot = slot
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        object = nil
        slot = 0
        super.init(capacity: 0)
    }

    required init?(coder aDecoder: NSCoder) { nil }

    /// What the relationship holds now.
    var content: [NSManagedObject] { owner?.toManyObjects(slot) ?? [] }

    override var count: Int { content.count }

    override func member(_ object: Any) -> Any? {
        guard let owner, let object = object as? NSManagedObject else { return nil }
        // A content that was not read can't tell who is in it.
        _ = owner.toManyObjects(slot)
        return owner.toMany(slot).contains(object) == true ? object : nil
    }

    /// Walks along what the relationship holds now, so that it may be changed meanwhile.
    override func objectEnumerator() -> NSEnumerator { NSArray(array: content).objectEnumerator() }

    override func add(_ object: Any) {
        guard let object = object as? NSManagedObject else {
            fatalError("A relationship holds managed objects, not \(type(of: object)).")
        }
        owner?.addToToMany(slot, object)
    }

    override func remove(_ object: Any) {
        guard let object = object as? NSManagedObject else { return }
        owner?.removeFromToMany(slot, object)
    }

    override func removeAllObjects() { owner?.setToMany(slot, []) }
    override func setSet(_ otherSet: Set<AnyHashable>) {
        owner?.setToMany(slot, otherSet.compactMap { $0.base as? NSManagedObject })
    }
    override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: content) }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: content) }
}
