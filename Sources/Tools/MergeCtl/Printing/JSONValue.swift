import Foundation

/// A value of a property list in a report: dates as in rows, data in hexadecimal, which is how
/// `model hashes` has version hashes.
enum JSONValue: Encodable {
    case text(String)
    case integer(Int)
    case real(Double)
    case list([JSONValue])
    case object([String: JSONValue])

    init(_ value: Any) {
        self =
            switch value {
            case let data as Data: .text(OutlinePrinter.hexadecimal(data))
            case let entries as [String: Any]: .object(entries.mapValues(JSONValue.init))
            case let list as [Any]: .list(list.map(JSONValue.init))
            case let number as Int: .integer(number)
            case let number as Double where number.isFinite: .real(number)
            default: .text(RowText.plain(value) ?? "")
            }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .integer(let number): try container.encode(number)
        case .real(let number): try container.encode(number)
        case .list(let list): try container.encode(list)
        case .object(let entries): try container.encode(entries)
        }
    }
}
