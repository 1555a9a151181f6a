import Foundation

/// Methods of objects that Objective-C's classes have too.
extension NSObject {
    /// The class that archives name; the class itself.
    public static func classForCoder() -> AnyClass { self }

    /// The name of the class, with its module.
    public static func description() -> String { String(reflecting: self) }
}
