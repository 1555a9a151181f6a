import Foundation

/// The name of a value transformer.
public struct NSValueTransformerName: Hashable, RawRepresentable, Sendable {
    /// The name as a model file has it.
    public let rawValue: String
    /// Makes a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Makes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Turns true into false.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// Tells whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// Tells whether a value is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// Makes objects of archives of the classes in `allowedTopLevelClasses`.
    public static let secureUnarchiveFromDataTransformerName =
        NSValueTransformerName("NSSecureUnarchiveFromData")
    /// Makes objects of archives of any class: unsafe, and not there.
    @available(*, unavailable, message: "Use secureUnarchiveFromDataTransformerName.")
    public static var unarchiveFromDataTransformerName: NSValueTransformerName {
        NSValueTransformerName("NSUnarchiveFromData")
    }
    /// Makes objects of keyed archives of any class: unsafe, and not there.
    @available(*, unavailable, message: "Use secureUnarchiveFromDataTransformerName.")
    public static var keyedUnarchiveFromDataTransformerName: NSValueTransformerName {
        NSValueTransformerName("NSKeyedUnarchiveFromData")
    }
}

/// Turns values into others, and back if it can.
///
/// A transformable attribute names one, which makes the data that stores keep. Register it before
/// the first save or fetch:
///
///     ValueTransformer.setValueTransformer(ColorTransformer(), forName: .init("Color"))
///
/// > Threading: Registered transformers are called on the queues of all contexts, so subclasses
/// > must keep no state that changes.
open class ValueTransformer: NSObject {
    /// Makes a transformer.
    public override init() {}

    /// The class of the values that come out.
    open class func transformedValueClass() -> AnyClass { NSObject.self }
    /// Whether values can be turned back. False by default.
    open class func allowsReverseTransformation() -> Bool { false }
    /// The value that another one turns into: the same, unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }
    /// The value that another one was made of.
    ///
    /// - Precondition: The class allows it.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        require(
            Self.allowsReverseTransformation(),
            "\(type(of: self)) does not turn values back: override "
                + "allowsReverseTransformation() and reverseTransformedValue(_:)."
        )
        return transformedValue(value)
    }

    // MARK: Names

    /// Registers a transformer under a name; nil removes the one that is there.
    public class func setValueTransformer(
        _ transformer: ValueTransformer?,
        forName name: NSValueTransformerName
    ) {
        registered.withLock { $0[name] = transformer }
    }

    /// The names of the registered transformers.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        registered.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    /// The transformer of a name; nil if none is registered.
    static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
        registered.withLock { $0[name] }
    }

    private static let registered = Locked<[NSValueTransformerName: ValueTransformer]>([
        .negateBooleanTransformerName: NegateBooleanTransformer(),
        .isNilTransformerName: IsNilTransformer(),
        .isNotNilTransformerName: IsNotNilTransformer(),
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ])
}

/// Transformers by name. A protocol, since only there an initializer can give an object that is
/// there already.
public protocol ValueTransformerNaming {}
extension ValueTransformer: ValueTransformerNaming {}
extension ValueTransformerNaming where Self: ValueTransformer {
    /// The transformer that is registered under a name; nil if there is none, or if it is of
    /// another class.
    ///
    /// Classes are not looked for by name: register an instance.
    public init?(forName name: NSValueTransformerName) {
        guard let known = ValueTransformer.named(name) as? Self else { return nil }
        self = known
    }
}

private final class NegateBooleanTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? {
        NSNumber(value: !((value as? NSNumber)?.boolValue ?? (value as? Bool) ?? false))
    }
}

private final class IsNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value == nil) }
}

private final class IsNotNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? { NSNumber(value: value != nil) }
}
