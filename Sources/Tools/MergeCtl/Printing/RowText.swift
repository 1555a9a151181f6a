import Foundation
import MergeExchange

/// Values of rows as texts.
enum RowText {
    // Never changed, and formatters may be used by several threads then.
    nonisolated(unsafe) private static let dates = ISO8601DateFormatter()

    /// A value as a text that an import reads back.
    static func plain(_ value: Any?) -> String? {
        switch value {
        case nil, is NSNull: nil
        case let text as String: text
        case let number as NSNumber: String(describing: number)
        case let date as Date: dates.string(from: date)
        case let data as Data: data.base64EncodedString()
        case let list as [String]: list.joined(separator: ",")
        case let url as URL: url.absoluteString
        case .some(let value): String(describing: value)
        }
    }

    /// A value as JSON has it.
    static func json(_ value: Any?) throws -> String {
        switch value {
        case nil, is NSNull: "null"
        case let text as String: FieldText.json(text)
        case let number as NSNumber where !number.doubleValue.isFinite: "null"
        case let number as NSNumber: try serialized(number)
        case let list as [String]: "[" + list.map(FieldText.json).joined(separator: ",") + "]"
        default: plain(value).map(FieldText.json) ?? "null"
        }
    }

    /// Numbers and Booleans.
    private static func serialized(_ value: NSNumber) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
        return String(decoding: data, as: UTF8.self)
    }
}
