import Foundation

/// What the observer of a property is told.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value after the change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
    /// The value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
    /// Once at the beginning, as if the value had been set.
    public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
    /// Before each change too.
    public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
}

/// The kind of a change.
public enum NSKeyValueChange: UInt, Sendable {
    /// The value was set.
    case setting = 1
    /// Objects were inserted into a collection.
    case insertion = 2
    /// Objects were removed from a collection.
    case removal = 3
    /// Objects of a collection were replaced.
    case replacement = 4
}

/// A change of a property, as its observer is told of it.
public struct NSKeyValueObservedChange<Value> {
    /// What kind a change is of.
    public typealias Kind = NSKeyValueChange
    /// `setting` for all changes: collections come as a whole.
    public let kind: Kind
    /// The value after the change, if it was asked for; nil before the change.
    public let newValue: Value?
    /// The value before the change, if it was asked for.
    public let oldValue: Value?
    /// nil: collections come as a whole.
    public let indexes: IndexSet?
    /// Whether the change is yet to come.
    public let isPrior: Bool

    /// Makes a change of the kind `setting`.
    package init(newValue: Value?, oldValue: Value?, isPrior: Bool = false) {
        kind = .setting
        self.newValue = newValue
        self.oldValue = oldValue
        indexes = nil
        self.isPrior = isPrior
    }
}

/// The observation of a property, which ends with this object or before.
///
/// > Threading: On the queue of the observed object's context.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    // @unchecked: for the context's queue only, as the rule says.

    private var stop: (() -> Void)?

    /// - Parameter stop: Ends what has begun.
    package init(stop: @escaping () -> Void) { self.stop = stop }

    deinit { stop?() }

    /// Ends the observation.
    public func invalidate() {
        stop?()
        stop = nil
    }
}

/// What `observe` is declared on: its handler is passed the object by its own type.
public protocol KeyValueObserving: NSManagedObject {}

extension NSManagedObject: KeyValueObserving {}

extension KeyValueObserving {
    /// Announces a change of a property that is made by other means than its accessors.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        willChangeValue(forKey: KeyPathNames.requiredName(of: keyPath))
    }

    /// The end of what `willChangeValue(for:)` began.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        didChangeValue(forKey: KeyPathNames.requiredName(of: keyPath))
    }

    /// Announces a change of a to-many relationship.
    public func willChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>,
        withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<AnyHashable>
    ) {
        let key = KeyPathNames.requiredName(of: keyPath)
        willChangeValue(forKey: key, withSetMutation: mutation, using: set)
    }

    /// The end of a change of a to-many relationship.
    public func didChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>,
        withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<AnyHashable>
    ) {
        let key = KeyPathNames.requiredName(of: keyPath)
        didChangeValue(forKey: key, withSetMutation: mutation, using: set)
    }

    /// Calls back at once after each change of a property: made by anyone through accessors or
    /// key-value access, by undo, or by a refresh, a merge or a roll-back that brings another value.
    ///
    /// Changes along the path are told too, and those of the properties that
    /// `keyPathsForValuesAffectingValue(forKey:)` names.
    ///
    /// > Threading: On the queue of the object's context.
    ///
    /// - Parameters:
    ///   - keyPath: A path to a property that the model has, or a class that is `PropertyNaming`.
    ///   - options: What the handler is told.
    ///   - changeHandler: Called with the object and the change.
    /// - Returns: Keep it: the observation ends with it.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        checkQueue("observe(_:options:changeHandler:)")
        let path = KeyPathNames.requiredName(of: keyPath)
        let telling = ChangeTelling<Value>(options) { [weak self] in
            self.map { $0[keyPath: keyPath] }
        } handler: { [weak self] change in
            if let self { changeHandler(self, change) }
        }
        // The object is held weakly by what it is told through, for the observation belongs to the
        // client and must not keep the object alive.
        let follower = PathFollower(self, path, telling)
        if options.contains(.initial) { telling.tellInitial() }
        return NSKeyValueObservation { follower.stop() }
    }
}

/// Passes changes of one property on to a handler, with the values that were asked for.
final class ChangeTelling<Value>: ChangeObserver {
    private let options: NSKeyValueObservingOptions
    private let value: () -> Value?
    private let handler: (NSKeyValueObservedChange<Value>) -> Void
    /// The values before the changes that are under way; handlers may make changes.
    private var before: [Value?] = []

    init(
        _ options: NSKeyValueObservingOptions,
        _ value: @escaping () -> Value?,
        handler: @escaping (NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.options = options
        self.value = value
        self.handler = handler
    }

    func tellInitial() { tell(new: newValue, old: nil) }

    func willChange() {
        let old = options.contains(.old) ? value() : nil
        before.append(old)
        if options.contains(.prior) { tell(new: nil, old: old, isPrior: true) }
    }

    func didChange(isReal: Bool) {
        // Taken off before the handler is called: a change that it makes itself puts its own on the
        // list.
        let old = before.popLast() ?? nil
        if isReal { tell(new: newValue, old: old) }
    }

    private var newValue: Value? { options.contains(.new) ? value() : nil }

    private func tell(new: Value?, old: Value?, isPrior: Bool = false) {
        handler(
            NSKeyValueObservedChange(newValue: new, oldValue: old, isPrior: isPrior)
        )
    }
}
