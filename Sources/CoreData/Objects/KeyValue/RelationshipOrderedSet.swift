import Foundation

/// What `mutableOrderedSetValue(forKey:)` gives: a view of an ordered to-many relationship.
///
/// Foundation's class keeps elements of its own and has members that can't be overridden, so those
/// are a copy, brought up to date before each use, and written back after each change. `array`,
/// `set` and loops show the relationship as it was when another member was last used.
///
/// > Threading: Confined to the queue of the object's context.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject?
    private let slot: Int
    /// The relationship's value that the copy was made of.
    private var seen: AnyObject?
    /// Foundation's members call each other; only the outermost one reads and writes.
    private var isInside = false

    init(_ owner: NSManagedObject, _ slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(objects: [], count: 0)
        pull()
    }

    required init?(coder aDecoder: NSCoder) { nil }

    required init(arrayLiteral elements: Any...) {
        owner = nil
        slot = 0
        super.init(objects: [], count: 0)
    }

    private func pull() {
        owner?.checkQueue("mutableOrderedSetValue(forKey:)")
        guard let owner, !isInside,
            // The object gives the same instance as long as the relationship stays as it is, so
            // that identity tells whether the copy is out of date.
            let current = owner.anyValue(slot) as? NSOrderedSet, current !== seen
        else { return }
        seen = current
        // Foundation's members below call others that are overridden here, and these must not pull
        // again.
        isInside = true
        super.removeAllObjects()
        super.addObjects(from: current.array)
        isInside = false
    }

    /// What the relationship holds now.
    var content: [Any] { read { array } }

    private func read<Result>(_ body: () -> Result) -> Result {
        pull()
        return body()
    }

    private func change(_ body: () -> Void) {
        guard !isInside else { return body() }
        pull()
        isInside = true
        body()
        isInside = false
        guard let owner else { return }
        owner.setAnyValue(NSArray(array: array), slot)
        // The relationship has a new value by our own doing, which needs no pull.
        seen = owner.anyValue(slot) as AnyObject?
    }

    // MARK: Reading

    override var count: Int { read { super.count } }
    override func object(at idx: Int) -> Any { read { super.object(at: idx) } }
    override func index(of object: Any) -> Int { read { super.index(of: object) } }
    override func contains(_ object: Any) -> Bool { read { super.contains(object) } }
    override func copy(with zone: NSZone? = nil) -> Any { read { NSOrderedSet(array: array) } }
    override func mutableCopy(with zone: NSZone? = nil) -> Any {
        read { NSMutableOrderedSet(array: array) }
    }

    // MARK: Changing

    override func insert(_ object: Any, at idx: Int) { change { super.insert(object, at: idx) } }
    override func removeObject(at idx: Int) { change { super.removeObject(at: idx) } }
    override func replaceObject(at idx: Int, with obj: Any) {
        change { super.replaceObject(at: idx, with: obj) }
    }
    override func setObject(_ obj: Any, at idx: Int) { change { super.setObject(obj, at: idx) } }
    override func add(_ object: Any) { change { super.add(object) } }
    override func addObjects(from array: [Any]) { change { super.addObjects(from: array) } }
    override func remove(_ object: Any) { change { super.remove(object) } }
    override func removeAllObjects() { change { super.removeAllObjects() } }
    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        change { super.exchangeObject(at: idx1, withObjectAt: idx2) }
    }
    override func moveObjects(at indexes: IndexSet, to idx: Int) {
        change { super.moveObjects(at: indexes, to: idx) }
    }
    override func insert(_ objects: [Any], at indexes: IndexSet) {
        change { super.insert(objects, at: indexes) }
    }
    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        change { super.replaceObjects(at: indexes, with: objects) }
    }
    override func removeObjects(at indexes: IndexSet) {
        change { super.removeObjects(at: indexes) }
    }
    override func removeObjects(in range: NSRange) { change { super.removeObjects(in: range) } }
    override func removeObjects(in array: [Any]) { change { super.removeObjects(in: array) } }
    override func union(_ other: NSOrderedSet) { change { super.union(other) } }
    override func minus(_ other: NSOrderedSet) { change { super.minus(other) } }
    // Foundation's own never comes to an end where there is something to remove.
    override func intersect(_ other: NSOrderedSet) {
        removeObjects(in: content.filter { !other.contains($0) })
    }
    override func unionSet(_ other: Set<AnyHashable>) { change { super.unionSet(other) } }
    override func minusSet(_ other: Set<AnyHashable>) { change { super.minusSet(other) } }
    override func intersectSet(_ other: Set<AnyHashable>) { change { super.intersectSet(other) } }
    override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) {
        change { super.sort(comparator: cmptr) }
    }
    override func sort(
        options opts: NSSortOptions = [],
        usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        change { super.sort(options: opts, usingComparator: cmptr) }
    }
    override func sortRange(
        _ range: NSRange,
        options opts: NSSortOptions = [],
        usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        change { super.sortRange(range, options: opts, usingComparator: cmptr) }
    }
}
