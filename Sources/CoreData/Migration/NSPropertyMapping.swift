import Foundation

/// How a migration gets the value of one property of a new object.
///
/// > Threading: Not thread-safe; change it before it is used.
open class NSPropertyMapping: NSObject {
    /// The destination's property.
    open var name: String?
    /// Gives the value; nil leaves the property to the destination's default or to the policy.
    ///
    /// Beside `$source`, the source's object, there are `$destination`, `$manager`,
    /// `$entityMapping`, `$propertyMapping` and `$entityPolicy`.
    open var valueExpression: NSExpression?
    /// Values that the client attaches to the mapping.
    open var userInfo: [AnyHashable: Any]?

    /// Whether another mapping gets the same value for the same property.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPropertyMapping).map(isSame) ?? false
    }
    open override var hash: Int { name.hashValue }
}
