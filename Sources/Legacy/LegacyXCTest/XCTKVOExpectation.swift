import CoreData
import XCTest

/// An expectation that a property of a managed object changes, or gets a value.
///
/// > Threading: On the queue of the object's context.
open class XCTKVOExpectation: XCTestExpectation, @unchecked Sendable {
    // @unchecked: as its superclass; the properties are used on the context's queue.

    /// Whether a change is the one that is expected; it is passed the object and the change.
    public typealias Handler = (Any, [AnyHashable: Any]) -> Bool

    /// The path to the property.
    public let keyPath: String
    /// The object.
    public let observedObject: Any
    /// The value that is expected; nil for any change.
    public let expectedValue: Any?
    /// What the handler is told.
    public let options: NSKeyValueObservingOptions
    /// Asked of each change; nil if all are meant.
    open var handler: Handler?
    private var watch: PropertyWatch?

    /// Expects any change of a property.
    public convenience init(keyPath: String, object: Any) {
        self.init(keyPath: keyPath, object: object, expectedValue: nil)
    }

    /// Expects that a property gets a value, or has it.
    ///
    /// - Parameters:
    ///   - keyPath: The path to the property.
    ///   - object: A managed object.
    ///   - expectedValue: The value; nil for any change.
    ///   - options: What the handler is told.
    public init(
        keyPath: String,
        object: Any,
        expectedValue: Any?,
        options: NSKeyValueObservingOptions = []
    ) {
        self.keyPath = keyPath
        observedObject = object
        self.expectedValue = expectedValue
        self.options = options
        super.init(description: "Expect that the value for \(keyPath) changes")
        // The expectation keeps the watch, so the watch must not keep the expectation.
        watch = PropertyWatch(object, keyPath, expectedValue, options) { [weak self] change in
            guard let self, handler?(object, change) ?? true else { return false }
            fulfill()
            return true
        }
    }
}

/// A test case may pass on what it observes but does not know.
extension XCTestCase: KeyValueObserverBase {}

extension XCTestCase {
    /// Expects that a property of a managed object gets a value, or has it.
    ///
    /// - Parameters:
    ///   - objectToObserve: A managed object.
    ///   - keyPath: The path to the property.
    ///   - expectedValue: The value; nil for any change.
    /// - Returns: The expectation, which `waitForExpectations` waits for.
    @discardableResult
    public func keyValueObservingExpectation(
        for objectToObserve: Any,
        keyPath: String,
        expectedValue: Any?
    ) -> XCTestExpectation {
        expect(objectToObserve, keyPath, expectedValue) { _, _ in true }
    }

    /// Expects that a property of a managed object changes.
    ///
    /// - Parameters:
    ///   - objectToObserve: A managed object.
    ///   - keyPath: The path to the property.
    ///   - handler: Whether a change is the one that is meant; nil if all are.
    /// - Returns: The expectation, which `waitForExpectations` waits for.
    @discardableResult
    public func keyValueObservingExpectation(
        for objectToObserve: Any,
        keyPath: String,
        handler: XCTKVOExpectation.Handler? = nil
    ) -> XCTestExpectation {
        expect(objectToObserve, keyPath, nil) { handler?($0, $1) ?? true }
    }

    private func expect(
        _ object: Any,
        _ keyPath: String,
        _ expectedValue: Any?,
        _ handler: @escaping XCTKVOExpectation.Handler
    ) -> XCTestExpectation {
        let expectation = expectation(description: "Expect that the value for \(keyPath) changes")
        // The watch is kept by itself until it has seen what it waits for.
        _ =
            PropertyWatch(object, keyPath, expectedValue, [.new, .old]) { change in
                guard handler(object, change) else { return false }
                expectation.fulfill()
                return true
            }
            .keptByItself
        return expectation
    }
}
