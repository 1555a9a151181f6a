import Foundation

/// The properties written in Swift that key-value access finds in one module: for generated code
/// only.
///
/// A subclass is found by its name among the type records of the process, so nothing has to register
/// it.
///
/// > Threading: Any thread.
open class _KeyedProperties {
    /// The last name of every subclass.
    static let listName = "KeyedPropertyList"

    /// Adds the module's properties to a list. Override it; here there are none.
    open class func add(to list: inout _KeyedPropertyList) {}
}

@available(*, unavailable, message: "It has no instances.")
extension _KeyedProperties: @unchecked Sendable {}

/// How a property written in Swift stands to one of the model with the same name: for generated code
/// only.
public enum _KeyedPropertyKind: Sendable {
    /// It goes first: its source says `@objc` or `dynamic`.
    case exposed
    /// It goes first if Objective-C has its type: up to Swift 3 that was enough for it to be exposed.
    case inferred
    /// The model's goes first, for it is written over that.
    case added
}

/// What generated code adds properties to: for generated code only.
public struct _KeyedPropertyList {
    var properties: [KeyedProperty] = []
    var validators: [KeyedValidator] = []
    var pointerValidations: [PointerValidation] = []
    var dependencies: [KeyedDependencies] = []
    var classNames: [(name: String, type: NSManagedObject.Type)] = []
    var plainClasses: [NSManagedObject.Type] = []
    var methods: [NamedMethod] = []

    /// Notes a class that declares no initializer.
    ///
    /// - Parameter type: The class.
    public mutating func addPlain(_ type: NSManagedObject.Type) { plainClasses.append(type) }

    /// Adds a property that can be read.
    ///
    /// - Parameters:
    ///   - key: The key that it has.
    ///   - path: What reads it.
    ///   - kind: How it stands to a property of the model with the same name.
    public mutating func add<Root: NSManagedObject, Value>(
        _ key: String,
        _ path: KeyPath<Root, Value>,
        as kind: _KeyedPropertyKind
    ) {
        properties.append(KeyedProperty(key, path, kind, set: nil))
    }

    /// Adds a property that can be read and set.
    ///
    /// - Parameters:
    ///   - key: The key that it has.
    ///   - path: What reads and sets it.
    ///   - kind: How it stands to a property of the model with the same name.
    public mutating func add<Root: NSManagedObject, Value>(
        _ key: String,
        _ path: ReferenceWritableKeyPath<Root, Value>,
        as kind: _KeyedPropertyKind
    ) {
        let property = KeyedProperty(key, path, kind) { object, value in
            guard let object = object as? Root else { return }
            object[keyPath: path] = KeyedValue.converted(value, key, Root.self)
        }
        properties.append(property)
    }
}

@available(*, unavailable, message: "It is used where it is made.")
extension _KeyedPropertyList: @unchecked Sendable {}
