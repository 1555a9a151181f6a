import Foundation

/// Something whose values are reached by key.
///
/// Apple gives these members to every `NSObject`. Without Objective-C's runtime, managed objects
/// have them, and Foundation's dictionaries and collections; a class of your own takes part in key
/// paths once it conforms.
public protocol KeyValueCoding: AnyObject {
    /// The value for a key.
    func value(forKey key: String) -> Any?
    /// Sets the value for a key.
    func setValue(_ value: Any?, forKey key: String)
    /// What `value(forKey:)` calls for a key that it does not know. Stops the program by default.
    func value(forUndefinedKey key: String) -> Any?
    /// What `setValue(_:forKey:)` calls for a key that it does not know. Stops the program by
    /// default.
    func setValue(_ value: Any?, forUndefinedKey key: String)
    /// Checks a value for a key, and may replace it. All values are valid by default.
    func validateValue(_ value: inout Any?, forKey key: String) throws
    /// Announces a change of the value for a key. Nobody is told by default.
    func willChangeValue(forKey key: String)
    /// The end of a change of the value for a key.
    func didChangeValue(forKey key: String)
}

extension KeyValueCoding {
    /// Stops the program: the key is not known.
    public func value(forUndefinedKey key: String) -> Any? {
        fatalError(
            "valueForUndefinedKey: \(type(of: self)) is not key value coding-compliant for the "
                + "key \"\(key)\"."
        )
    }

    /// Stops the program: the key is not known.
    public func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError(
            "setValue:forUndefinedKey: \(type(of: self)) is not key value coding-compliant for "
                + "the key \"\(key)\"."
        )
    }

    /// Accepts every value.
    public func validateValue(_ value: inout Any?, forKey key: String) throws {}
    /// Does nothing.
    public func willChangeValue(forKey key: String) {}
    /// Does nothing.
    public func didChangeValue(forKey key: String) {}

    /// A view of an array, which sets the property after each change.
    public func mutableArrayValue(forKey key: String) -> NSMutableArray { KeyedArray(self, key) }

    /// The value at the end of a key path such as `department.people.@avg.age`.
    ///
    /// Collections on the way give the collection of their elements' values, nil on the way gives
    /// nil. The operators are `@count`, `@sum`, `@avg`, `@min`, `@max`, and those named after
    /// `@unionOf…` and `@distinctUnionOf…`.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueAccess.value(of: self, path: Substring(keyPath))
    }

    /// Sets the value at the end of a key path; does nothing if a value on the way is nil.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyValueAccess.set(value, of: self, path: Substring(keyPath))
    }

    /// The values for several keys; `NSNull` for nil.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        var result: [String: Any] = [:]
        // As NSNull, or the key of a missing value would be missing, too.
        for key in keys { result[key] = value(forKey: key) ?? NSNull() }
        return result
    }

    /// Sets the values of several keys; `NSNull` sets nil.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }
}

extension NSDictionary {
    /// The value at the end of a key path; a key that begins with `@` is an operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueAccess.value(of: self, path: Substring(keyPath))
    }
}

extension NSMutableDictionary {
    /// Sets the value for a key; nil removes the key.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: key as NSString)
        } else {
            removeObject(forKey: key as NSString)
        }
    }

    /// Sets the value at the end of a key path; does nothing if a value on the way is nil.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        KeyValueAccess.set(value, of: self, path: Substring(keyPath))
    }
}

extension NSArray {
    /// An array of the elements' values for a key; `NSNull` for nil.
    public func value(forKey key: String) -> Any {
        KeyValueAccess.value(of: self, forKey: key) ?? NSNull()
    }

    /// The value at the end of a key path; a key that begins with `@` is an operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueAccess.value(of: self, path: Substring(keyPath))
    }

    /// Sets the value for a key in each element.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueAccess.set(value, of: self, forKey: key)
    }
}

extension NSSet {
    /// The set of the elements' values for a key; nil is left out.
    public func value(forKey key: String) -> Any {
        KeyValueAccess.value(of: self, forKey: key) ?? NSNull()
    }

    /// The value at the end of a key path; a key that begins with `@` is an operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueAccess.value(of: self, path: Substring(keyPath))
    }

    /// Sets the value for a key in each element.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueAccess.set(value, of: self, forKey: key)
    }
}

extension NSOrderedSet {
    /// The ordered set of the elements' values for a key; `NSNull` for nil.
    public func value(forKey key: String) -> Any {
        KeyValueAccess.value(of: self, forKey: key) ?? NSNull()
    }

    /// The value at the end of a key path; a key that begins with `@` is an operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueAccess.value(of: self, path: Substring(keyPath))
    }

    /// Sets the value for a key in each element.
    public func setValue(_ value: Any?, forKey key: String) {
        KeyValueAccess.set(value, of: self, forKey: key)
    }
}
