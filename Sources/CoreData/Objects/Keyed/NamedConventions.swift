import Foundation

/// What Objective-C's runtime hands a method to put another object in place of the one it is given.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

extension UnsafeMutablePointer where Pointee == AnyObject? {
    /// A pointer to a variable of a class, as Apple's `AutoreleasingUnsafeMutablePointer` makes it of
    /// `&value`: what is put there must be of that class.
    ///
    /// - Parameter pointer: The variable, which has to outlive the pointer.
    public init<Object: AnyObject>(_ pointer: UnsafeMutablePointer<Object>) {
        self = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: AnyObject?.self)
    }

    /// A pointer to a variable of a class, which may hold nothing.
    ///
    /// - Parameter pointer: The variable, which has to outlive the pointer.
    public init<Object: AnyObject>(_ pointer: UnsafeMutablePointer<Object?>) {
        self = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: AnyObject?.self)
    }
}

/// A member that key-value coding finds by its name in one class.
struct NamedConvention<Member>: @unchecked Sendable {
    // @unchecked: members hold types only.

    let key: String
    /// The class that declares it.
    let owner: NSManagedObject.Type
    /// Whether a class is the owner or stands beneath it.
    let isOwned: (NSManagedObject.Type) -> Bool
    let member: Member

    init<Root: NSManagedObject>(_ key: String, _: Root.Type, _ member: Member) {
        self.key = key
        owner = Root.self
        isOwned = { $0 is Root.Type }
        self.member = member
    }

    /// The members of a class by key, those of subclasses first.
    static func table(_ all: [Self], of type: NSManagedObject.Type) -> [String: Self] {
        var found: [String: Self] = [:]
        for convention in all where convention.isOwned(type) {
            if let other = found[convention.key], !other.isOwned(convention.owner) { continue }
            found[convention.key] = convention
        }
        return found
    }
}

/// `validateTitle(_:)`.
typealias KeyedValidator = NamedConvention<
    (NSManagedObject, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
>
/// `keyPathsForValuesAffectingTitle()`.
typealias KeyedDependencies = NamedConvention<(NSManagedObject.Type) -> Set<String>>
/// An override of `validateValue(_:forKey:)` with a pointer, which has no key.
typealias PointerValidation = NamedConvention<Void>

extension _KeyedPropertyList {
    /// Adds a method that checks the values for a key.
    public mutating func addValidator<Root: NSManagedObject>(
        _ key: String,
        of type: Root.Type,
        _ validate: @escaping (Root, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
    ) {
        let validator = KeyedValidator(key, type) { object, value in
            if let object = object as? Root { try validate(object, value) }
        }
        validators.append(validator)
    }

    /// Notes that a class overrides `validateValue(_:forKey:)` with a pointer.
    public mutating func addValidation<Root: NSManagedObject>(of type: Root.Type) {
        pointerValidations.append(PointerValidation("", type, ()))
    }

    /// Adds a member that says what the value for a key is computed from.
    public mutating func addDependencies<Root: NSManagedObject, Keys: _KeySet>(
        _ key: String,
        of type: Root.Type,
        _ dependencies: @escaping (Root.Type) -> Keys
    ) {
        let convention = KeyedDependencies(key, type) { type in
            (type as? Root.Type).map(dependencies)?._keys ?? []
        }
        self.dependencies.append(convention)
    }
}

/// What `keyPathsForValuesAffecting<Key>` gives: `Set<String>` today, `NSSet` and `Set<NSObject>` in
/// code that was written for Swift 1 and 2.
public protocol _KeySet {
    /// The strings in it.
    var _keys: Set<String> { get }
}

extension Set: _KeySet {
    public var _keys: Set<String> { Set<String>(compactMap { $0 as? String }) }
}

extension NSSet: _KeySet {
    public var _keys: Set<String> { Set(compactMap { $0 as? String }) }
}

extension Optional: _KeySet where Wrapped: _KeySet {
    public var _keys: Set<String> { self?._keys ?? [] }
}

/// Checking values by such members.
extension NSManagedObject {
    /// Checks a value as a save does: by the override that the class has, if it has one.
    final func validate(_ value: inout Any?, forKey key: String) throws {
        guard registry.keyedProperties?.validatesByPointer == true else {
            return try validateValue(&value, forKey: key)
        }
        try Self.withPointer(to: &value) { try validateValue($0, forKey: key) }
    }

    /// Calls the class's `validate<Key>(_:)`, if it has one.
    final func callValidator(_ value: inout Any?, forKey key: String) throws {
        guard let validator = registry.keyedProperties?.validators[key],
            validator.isOwned(type(of: self))
        else { return }
        try Self.withPointer(to: &value) { try validator.member(self, $0) }
    }

    private static func withPointer(
        to value: inout Any?,
        _ body: (AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
    ) throws {
        var object = value as AnyObject?
        let before = object
        try body(&object)
        // Only what was replaced: the box of a number, put back, would be a value of another type.
        if object !== before { value = object }
    }
}
