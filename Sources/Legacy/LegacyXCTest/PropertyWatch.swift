import CoreData

/// Waits for one change of a property.
///
/// > Threading: On the queue of the object's context.
final class PropertyWatch: KeyValueObserver {
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
        if expectedValue != nil, hasExpectedValue, isMeant([:]) {
            isOver = true
        } else {
            object.addObserver(self, forKeyPath: keyPath, options: options, context: nil)
        }
    }

    deinit { stop() }

    /// The watch, which lives until the wait is over.
    var keptByItself: PropertyWatch {
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
        let pairs = (change ?? [:]).map { (AnyHashable($0.key.rawValue), $0.value) }
        if isMeant(Dictionary(uniqueKeysWithValues: pairs)) { stop() }
    }

    private func stop() {
        guard !isOver else { return }
        isOver = true
        object?.removeObserver(self, forKeyPath: keyPath)
        itself = nil
    }

    private var hasExpectedValue: Bool {
        guard let object, let expected = expectedValue as? AnyHashable else { return false }
        return object.value(forKeyPath: keyPath) as? AnyHashable == expected
    }
}
