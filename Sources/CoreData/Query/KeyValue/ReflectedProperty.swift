/// Stored properties of objects that take no part in key-value coding, as they can be read on Apple's
/// platforms if they say `@objc`.
enum ReflectedProperty {
    /// The value of a stored property by name.
    ///
    /// - Returns: nil if there is no such property, or `object` is no object.
    static func value(of object: Any, forKey key: String) -> Any?? {
        guard type(of: object) is AnyClass else { return nil }
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            for child in current.children where child.label == key {
                return .some(unwrapped(child.value))
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
