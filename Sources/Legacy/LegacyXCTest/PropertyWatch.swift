import CoreData

/// Waits for one change of a property.
///
/// > Threading: On the queue of the object's context.
final class PropertyWatch: KeyValueObserver {
    // A watch that waits in vain keeps itself for good, and must not keep the object with it.
    private weak var object: NSManagedObject?
    private let keyPath: String
    private let expectedValue: Any?
    /// Whether a change ends the wait.
    private let isMeant: ([AnyHashable: Any]) -> Bool
    private var isOver = false
    private var itself: PropertyWatch?

    init(
        _ object: Any,
        _ keyPath: String,
        _ expectedValue: Any?,
        _ options: NSKeyValueObservingOptions,
        isMeant: @escaping ([AnyHashable: Any]) -> Bool
    ) {
        guard let object = object as? NSManagedObject else {
            fatalError(
                "On Linux only managed objects can be observed: for \(type(of: object)) use "
                    + "XCTNSPredicateExpectation."
            )
        }
        self.object = object
        self.keyPath = keyPath
        self.expectedValue = expectedValue
        self.isMeant = isMeant
        // A value that is there already may never change, and nothing would be observed.
        if expectedValue != nil, hasExpectedValue, isMeant([:]) {
            isOver = true
        } else {
            object.addObserver(self, forKeyPath: keyPath, options: options, context: nil)
        }
    }

    deinit { stop() }

    /// The watch, which lives until the wait is over.
    var keptByItself: PropertyWatch {
        // A wait that is over has nothing left that would let go of it.
        if !isOver { itself = self }
        return self
    }

    func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        guard !isOver, expectedValue == nil || hasExpectedValue else { return }
        // Handlers know the keys as texts, as Objective-C passes them.
        let pairs = (change ?? [:]).map { (AnyHashable($0.key.rawValue), $0.value) }
        if isMeant(Dictionary(uniqueKeysWithValues: pairs)) { stop() }
    }

    private func stop() {
        guard !isOver else { return }
        // First, since letting go of itself below may end this object, whose deinitializer comes
        // here again.
        isOver = true
        object?.removeObserver(self, forKeyPath: keyPath)
        itself = nil
    }

    private var hasExpectedValue: Bool {
        guard let object, let expected = expectedValue as? AnyHashable else { return false }
        return object.value(forKeyPath: keyPath) as? AnyHashable == expected
    }
}
