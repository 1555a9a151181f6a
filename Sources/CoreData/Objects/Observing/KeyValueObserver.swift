import Foundation

/// A key in the dictionary that `observeValue(forKeyPath:of:change:context:)` is passed.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The raw value of an `NSKeyValueChange`, as `NSNumber`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The value after the change, `NSNull` for nil.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The value before the change, `NSNull` for nil.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// Never there: collections come as a whole.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// Whether the change is yet to come.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// What an object conforms to that is passed to `addObserver(_:forKeyPath:options:context:)`.
///
/// On Apple's platforms each `NSObject` has the method, and classes override it. Without
/// Objective-C nothing overrides what an extension declares; so on Linux a class has the method
/// without `override`, and says that it is an observer.
///
///     extension BookController: KeyValueObserver {}
public protocol KeyValueObserver: AnyObject {
    /// A property that is observed has changed, or is about to.
    ///
    /// > Threading: On the queue of the observed object's context.
    ///
    /// - Parameters:
    ///   - keyPath: The path that was passed when the observer was added.
    ///   - object: The object that it was added to.
    ///   - change: What was asked for.
    ///   - context: The pointer that was passed when the observer was added.
    func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    )
}

/// What `super.observeValue(forKeyPath:of:change:context:)` is declared on.
public protocol KeyValueObserverBase {}

extension NSObject: KeyValueObserverBase {}

extension KeyValueObserverBase {
    /// Stops the program: an observer has passed on what nobody waits for.
    public func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        fatalError(
            "\(type(of: self)): An -observeValueForKeyPath:ofObject:change:context: message was "
                + "received but not handled. Key path: \(keyPath ?? "nil")"
        )
    }
}
