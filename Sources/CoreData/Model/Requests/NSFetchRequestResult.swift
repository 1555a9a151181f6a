import Foundation

/// What a fetch request can give: managed objects, their IDs, dictionaries and numbers.
///
/// A marker, so that `any NSFetchRequestResult` conforms to it as it does with Objective-C, and is
/// laid out as a plain reference; see ``RequestClasses``. So a value can't be asked at run time
/// whether it conforms.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// What a fetch request gives.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    /// Makes a result type of its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Managed objects; the default. No bit is set, as with Apple's.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// Object IDs.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of the properties to fetch.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// The number of objects, as an `NSNumber`.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
