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
    /// A number of a JSON file with more digits than `Double` has.
    case decimal(Decimal)
    /// `true` or `false`.
    case boolean(Bool)
    /// A list.
    case list([ImportValue])
    /// An object with values of its own.
    case object([String: ImportValue])

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
