/// An object that others hold weakly without a side table.
///
/// Swift's weak references move the counts of an object to a table of its own, and each retain and
/// release of the object takes a multiple of its time from then on. Contexts, coordinators, stores
/// and entities are retained all the time, and weakly held by what they own.
protocol WeaklyHeld: AnyObject {
    /// A constant of the object, which nobody else keeps.
    var weakAnchor: WeakAnchor { get }
}

/// Goes with its object, and tells those who hold it weakly.
///
/// > Threading: Any thread.
final class WeakAnchor: Sendable {
    fileprivate let handle = WeakHandle()

    init() { WeakWord.checked }

    // Between the end of the object's `deinit` and that of its memory.
    deinit { handle.clear() }
}

/// What all who hold an object weakly share.
private final class WeakHandle: Sendable {
    private let word = Locked<UInt>(0)

    func set(_ object: AnyObject) { word.withLock { $0 = WeakWord.word(object) } }

    func clear() { word.withLock { $0 = 0 } }

    /// Retained under the lock, by which the object has to come before its memory goes.
    @inline(__always) func object<Object: AnyObject>(as type: Object.Type) -> Object? {
        word.withLock { WeakWord.object($0, as: type) }
    }
}

/// A weak reference to an object with an anchor.
///
/// > Threading: As a weak variable: any thread may read it while none writes it.
struct WeakHold<Object: WeaklyHeld> {
    private let handle: WeakHandle?

    init(_ object: Object? = nil) {
        handle = object?.weakAnchor.handle
        // The anchor is made before its object is complete and can't know its address: whoever
        // holds the object first tells it.
        if let object { handle?.set(object) }
    }

    /// The object; nil if there is none, or it is going.
    @inline(__always) var object: Object? { handle?.object(as: Object.self) }
}
