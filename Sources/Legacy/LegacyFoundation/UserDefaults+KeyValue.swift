import Foundation

/// Key-value coding, which Apple's `UserDefaults` has of `NSObject`.
extension UserDefaults {
    /// The same as `object(forKey:)`.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// The same as `set(_:forKey:)`; nil removes the value.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
}
