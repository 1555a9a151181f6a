import Foundation
import MergeExchange

/// The forms in which rows are printed.
enum RowFormat: String, CaseIterable {
    case table, csv, json
}

/// Prints rows of values below column names, page by page.
///
/// The columns of a table are as wide as the first page needs, and together no wider than the
/// terminal: the last ones are left out that have no room.
final class RowPrinter {
    private let format: RowFormat
    /// How wide a line of a table may be; nil for any width.
    private let lineWidth: Int?
    private let write: (String) -> Void
    private var layout: TableLayout?
    /// How many rows are printed.
    private(set) var rowCount = 0
    /// The columns that a table has no room for.
    private(set) var columnsLeftOut: [String] = []
    private var hasBegun = false

    /// - Parameters:
    ///   - lineWidth: How wide a line of a table may be; nil for any width.
    ///   - write: Gets the text, piece by piece.
    init(format: RowFormat, lineWidth: Int? = nil, write: @escaping (String) -> Void) {
        self.format = format
        self.lineWidth = lineWidth
        self.write = write
    }

    /// Prints some rows; the first ones come with the column names.
    func print(_ rows: [[Any?]], _ columns: [String]) throws {
        switch format {
        case .table: printTable(rows, columns)
        case .csv: printCSV(rows, columns)
        case .json: try printJSON(rows, columns)
        }
        hasBegun = true
        rowCount += rows.count
    }

    /// Prints what ends the rows.
    func end() {
        guard format == .json else { return }
        write(rowCount == 0 ? "[]\n" : "\n]\n")
    }

    private func printTable(_ rows: [[Any?]], _ columns: [String]) {
        let cells = rows.map { row in row.map { TableLayout.cell(RowText.plain($0) ?? "") } }
        var lines: [String] = []
        if layout == nil {
            let layout = TableLayout(columns, rows, cells, lineWidth: lineWidth)
            self.layout = layout
            columnsLeftOut = Array(columns.dropFirst(layout.columnCount))
            lines = [layout.line(columns), layout.rule]
        }
        if let layout { lines += cells.map(layout.line) }
        write(lines.joined(separator: "\n") + "\n")
    }

    private func printCSV(_ rows: [[Any?]], _ columns: [String]) {
        var text = hasBegun ? "" : FieldText.record(columns) + "\n"
        for row in rows {
            text += FieldText.record(row.map { RowText.plain($0) ?? "" })
            text += "\n"
        }
        write(text)
    }

    private func printJSON(_ rows: [[Any?]], _ columns: [String]) throws {
        let names = columns.map { FieldText.json($0) + ": " }
        var text = ""
        for (index, row) in rows.enumerated() {
            text += rowCount + index == 0 ? "[\n  {" : ",\n  {"
            for (column, value) in row.enumerated() {
                if column > 0 { text += ", " }
                text += names[column]
                text += try RowText.json(value)
            }
            text += "}"
        }
        write(text)
    }
}
