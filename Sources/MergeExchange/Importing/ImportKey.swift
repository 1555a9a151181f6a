import Foundation

/// A key attribute's value, in one form whether it comes from a record or from an object.
///
/// > Threading: A value; any thread.
enum ImportKey: Hashable, @unchecked Sendable {
    // @unchecked: what is in `other` are immutable decimals, dates, UUIDs, data and URLs.
    case text(String)
    case integer(Int64)
    case real(Double)
    case other(AnyHashable)

    /// The key for a value; nil if it is nothing that can be a key.
    init?(_ value: Any?) {
        switch value {
        case let text as String:
            self = .text(text)
        // Before NSNumber, its superclass: as a double, two long decimals may be one key.
        case let decimal as NSDecimalNumber:
            self = .other(decimal)
        case let number as NSNumber:
            // A number of any type, a Boolean also.
            if let integer = Int64(exactly: number.doubleValue), number.int64Value == integer {
                self = .integer(integer)
            } else if let integer = Int64(exactly: number) {
                self = .integer(integer)
            } else {
                self = .real(number.doubleValue)
            }
        case let value as AnyHashable:
            self = .other(value)
        default:
            return nil
        }
    }

    /// The value, as predicates and attributes take it.
    var value: Any {
        switch self {
        case .text(let text): text
        case .integer(let integer): integer
        case .real(let real): real
        case .other(let value): value.base
        }
    }
}
