import CoreData
import Foundation
import MergeExchange

/// The forms in which rows are printed.
enum RowFormat: String, CaseIterable {
    case table, csv, json
}

/// Prints rows of values below column names.
struct RowPrinter {
    let format: RowFormat
    let columns: [String]

    /// The rows as a text without the last line end.
    func text(_ rows: [[Any?]]) throws -> String {
        switch format {
        case .table: return table(rows)
        case .csv: return csv(rows)
        case .json: return try json(rows)
        }
    }

    // MARK: Table

    private func table(_ rows: [[Any?]]) -> String {
        let cells = rows.map { row in row.map { Self.cell(Self.plain($0) ?? "") } }
        var widths = columns.map(\.count)
        for row in cells {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.count) }
        }
        let isNumber = columns.indices.map { index in
            rows.contains { $0[index] is NSNumber }
                && rows.allSatisfy { $0[index] == nil || $0[index] is NSNumber }
        }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                return isNumber[index] ? padding + cell : cell + padding
            }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
        return ([line(columns), rule] + cells.map(line)).joined(separator: "\n")
    }

    /// One line without control characters, which could drive the terminal.
    private static func cell(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }

    // MARK: CSV

    private func csv(_ rows: [[Any?]]) -> String {
        let lines = [columns] + rows.map { row in row.map { Self.plain($0) ?? "" } }
        return lines.map { $0.map { FieldText.delimited($0) }.joined(separator: ",") }.joined(
            separator: "\n"
        )
    }

    // MARK: JSON

    private func json(_ rows: [[Any?]]) throws -> String {
        let lines = try rows.map { row in
            let fields = try zip(columns, row).map { name, value in
                try Self.jsonText(name) + ": " + Self.jsonText(Self.jsonValue(value))
            }
            return "  {" + fields.joined(separator: ", ") + "}"
        }
        return lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n]"
    }

    private static func jsonText(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: value,
            options: [.fragmentsAllowed, .withoutEscapingSlashes]
        )
        return String(decoding: data, as: UTF8.self)
    }

    private static func jsonValue(_ value: Any?) -> Any {
        switch value {
        case nil: NSNull()
        case let number as NSNumber where !number.doubleValue.isFinite: NSNull()
        case let number as NSNumber: number
        case let list as [String]: list
        default: plain(value) ?? NSNull()
        }
    }

    // MARK: Values

    /// A value as a text that an import reads back.
    static func plain(_ value: Any?) -> String? {
        switch value {
        case nil, is NSNull: nil
        case let text as String: text
        case let date as Date: ISO8601DateFormatter().string(from: date)
        case let data as Data: data.base64EncodedString()
        case let list as [String]: list.joined(separator: ",")
        case let url as URL: url.absoluteString
        case .some(let value): String(describing: value)
        }
    }
}
