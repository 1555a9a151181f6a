import Foundation

/// What `mutableArrayValue(forKey:)` gives: a view of an array or an ordered relationship, which is
/// read anew for each use and set after each change.
///
/// > Threading: Confined to the queue of the object's context.
final class KeyedArray: NSMutableArray {
    private let owner: (any KeyValueCoding)?
    private let key: String

    init(_ owner: any KeyValueCoding, _ key: String) {
        self.owner = owner
        self.key = key
        super.init(capacity: 0)
    }

    required init(objects: UnsafePointer<AnyObject>?, count cnt: Int) {
        owner = nil
        key = ""
        super.init(capacity: 0)
    }

    required init?(coder aDecoder: NSCoder) { nil }

    required convenience init(arrayLiteral elements: Any...) { self.init(objects: nil, count: 0) }

    private var content: [Any] {
        switch owner?.value(forKey: key) {
        case let set as NSOrderedSet: set.array
        case let array as NSArray: (0..<array.count).map { array.object(at: $0) }
        case let array as [Any]: array
        default: []
        }
    }

    private func change(_ body: (inout [Any]) -> Void) {
        var changed = content
        body(&changed)
        // By the owner's setter, so that the owner notices the change. Nothing is kept here, since
        // others may set the property, too.
        owner?.setValue(NSArray(array: changed), forKey: key)
    }

    override var count: Int { content.count }
    override func object(at index: Int) -> Any { content[index] }
    override func insert(_ anObject: Any, at index: Int) {
        change { $0.insert(anObject, at: index) }
    }
    override func removeObject(at index: Int) { change { $0.remove(at: index) } }
    override func add(_ anObject: Any) { change { $0.append(anObject) } }
    override func removeLastObject() { change { _ = $0.popLast() } }
    override func replaceObject(at index: Int, with anObject: Any) {
        change { $0[index] = anObject }
    }
    override func copy(with zone: NSZone? = nil) -> Any { NSArray(array: content) }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableArray(array: content) }
}
