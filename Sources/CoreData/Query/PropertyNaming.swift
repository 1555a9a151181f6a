import Foundation

/// A class that knows the names of the properties that its key paths lead to.
///
/// A Swift key path to a computed property does not hold the property's name on this platform, so
/// generated classes say it, and `NSSortDescriptor(keyPath: \Person.name, ascending: true)`,
/// `NSExpression(forKeyPath: \Person.name)` and `%K` work with them:
///
///     class Person: NSManagedObject, PropertyNaming {
///         class var propertyNames: [AnyKeyPath: String] {
///             [\Person.name: "name", \Person.department: "department"]
///         }
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
