import Foundation

/// A class that knows the names of the properties that its key paths lead to.
///
/// A Swift key path to a computed property does not hold the property's name on this platform. Those of
/// managed properties, and of properties that the plugin `ManagedAccessors` lists, are known all the same.
/// A class says the others, so that `NSSortDescriptor(keyPath: \Person.label, ascending: true)`,
/// `NSExpression(forKeyPath: \Person.label)` and `%K` work with them:
///
///     class Person: NSManagedObject, PropertyNaming {
///         class var propertyNames: [AnyKeyPath: String] { [\Person.label: "label"] }
///         var label: String { "\(name), \(department)" }
///     }
///
/// A subclass overrides it and adds what it inherits under key paths of its own:
/// `\Manager.name` is not `\Person.name`.
///
/// > Threading: Asked once for each class, on any thread.
public protocol PropertyNaming: AnyObject {
    /// The names of the properties, by key path.
    static var propertyNames: [AnyKeyPath: String] { get }
}
