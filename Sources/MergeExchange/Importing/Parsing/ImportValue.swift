import Foundation

/// A value of a record, before it is fitted to an attribute's type.
public enum ImportValue: Hashable, Sendable {
    /// No value: JSON's `null`, or an empty field of a CSV file.
    case null
    /// A text, not empty in CSV files.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A number with a fraction, or one beyond 64 bits.
    case real(Double)
    /// `true` or `false`.
    case boolean(Bool)
    /// A list.
    case list([ImportValue])
    /// An object with values of its own.
    case object([String: ImportValue])

    /// Translates what `JSONSerialization` made.
    init(json: Any) {
        switch json {
        case let text as String:
            self = .text(text)
        case let number as NSNumber:
            self = ImportValue(number: number)
        case let list as [Any]:
            self = .list(list.map { ImportValue(json: $0) })
        case let object as [String: Any]:
            self = .object(object.mapValues { ImportValue(json: $0) })
        default:
            self = .null
        }
    }

    private init(number: NSNumber) {
        // The type encoding tells a Boolean ("c", or "B") from a number on all platforms.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            self = .boolean(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            self = .real(number.doubleValue)
        default:
            let integer = number.int64Value
            // A whole number beyond Int64 has wrapped around, and is one that Double has to hold.
            let isExact = NSNumber(value: integer) == number
            self = isExact ? .integer(integer) : .real(number.doubleValue)
        }
    }

    /// The value at a dotted key path below this one; nil if there is none.
    func value(atKeyPath path: [String]) -> ImportValue? {
        var current = self
        for key in path {
            guard case .object(let fields) = current, let next = fields[key] else { return nil }
            current = next
        }
        return current
    }
}
