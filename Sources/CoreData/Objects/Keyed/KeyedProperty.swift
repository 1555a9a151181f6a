import Foundation

/// A property written in Swift, as key-value access sees it.
struct KeyedProperty: @unchecked Sendable {
    // @unchecked: the closures hold key paths and types only, which don't change.

    let key: String
    let keyPath: AnyKeyPath
    /// The class that declares it.
    let owner: NSManagedObject.Type
    /// Whether a class is the owner or stands beneath it.
    let isOwned: (NSManagedObject.Type) -> Bool
    /// Whether it goes before a property of the model with the same name.
    let hidesModel: Bool
    /// Whether it does so without saying that Objective-C sees it, which newer compilers ask for.
    let isInferred: Bool
    /// Whether it can be set to a value.
    let accepts: (Any?) -> Bool
    let get: (NSManagedObject) -> Any?
    /// nil if it can't be set.
    let set: ((NSManagedObject, Any?) -> Void)?

    init<Root: NSManagedObject, Value>(
        _ key: String,
        _ path: KeyPath<Root, Value>,
        _ kind: _KeyedPropertyKind,
        set: ((NSManagedObject, Any?) -> Void)?
    ) {
        self.key = key
        keyPath = path
        owner = Root.self
        isOwned = { $0 is Root.Type }
        hidesModel =
            kind == .exposed || kind == .inferred && KeyedValue.isRepresentable(Value.self)
        isInferred = kind == .inferred
        accepts = { KeyedValue.cast($0, Value.self) != nil }
        get = { object in (object as? Root).flatMap { KeyedValue.boxed($0[keyPath: path]) } }
        self.set = set
    }
}

/// How values pass between Swift's types and key-value access.
enum KeyedValue {
    /// Whether Objective-C has a type: an object, what bridges to one, either also optional, or a
    /// number.
    static func isRepresentable(_ type: Any.Type) -> Bool {
        if type is AnyClass { return true }
        if let type = type as? any OptionalType.Type {
            return isRepresentable(type.wrapped) && !isScalar(type.wrapped)
        }
        return type is any _ObjectiveCBridgeable.Type
    }

    private static func isScalar(_ type: Any.Type) -> Bool {
        type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type || type == Bool.self
    }

    /// A value as `value(forKey:)` gives it: numbers as `NSNumber`, and raw values for enumerations.
    static func boxed(_ value: Any) -> Any? {
        guard let value = unwrapped(value) else { return nil }
        if type(of: value) is AnyClass { return value }
        if isScalar(type(of: value)) { return value as? NSNumber ?? value }
        if let decimal = value as? Decimal { return NSDecimalNumber(decimal: decimal) }
        if let raw = value as? any RawRepresentable { return boxed(raw.rawValue) }
        return value
    }

    /// What `setValue(_:forKey:)` was given, as a property's type. Stops the program for a value of
    /// another type.
    static func converted<Value>(
        _ value: Any?,
        _ key: String,
        _ owner: NSManagedObject.Type
    ) -> Value {
        if let converted = cast(value, Value.self) { return converted }
        fatalError(
            "Unacceptable type of value for property: property = \"\(key)\"; desired type = "
                + "\(Value.self); given type = \(value.map { "\(type(of: $0))" } ?? "nil"); value's "
                + "class = \(owner)."
        )
    }

    /// A value as one of a type of Swift; nil if it is none.
    static func cast<Value>(_ value: Any?, _: Value.Type) -> Value? {
        guard let value else {
            return (Value.self as? any ExpressibleByNilLiteral.Type)?.null as? Value
        }
        if let same = value as? Value { return same }
        return (Value.self as? any RawRepresentable.Type)?.make(value) as? Value
    }
}

extension ExpressibleByNilLiteral {
    fileprivate static var null: Self { Self(nilLiteral: ()) }
}

extension RawRepresentable {
    fileprivate static func make(_ value: Any) -> Self? {
        (value as? RawValue).flatMap(Self.init(rawValue:))
    }
}

/// Optionals of all types.
private protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}
