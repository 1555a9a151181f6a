import Foundation

/// How wide the columns of a printed table are, and on which side their values stand.
struct TableLayout {
    private var widths: [Int]
    private let areNumbers: [Bool]
    /// Whether a cell that is too wide is cut; in a file it stays whole.
    private let cuts: Bool

    private static let gap = "  "
    private static let least = 6

    /// - Parameters:
    ///   - rows: The values of the first page.
    ///   - cells: Their texts.
    ///   - lineWidth: How wide a line may be; nil for any width. The last columns are left out that
    ///     have no room in it.
    init(_ columns: [String], _ rows: [[Any?]], _ cells: [[String]], lineWidth: Int?) {
        var widths = columns.map(\.count)
        for row in cells {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.count) }
        }
        areNumbers = columns.indices.map { index in
            rows.contains { $0[index] is NSNumber }
                && rows.allSatisfy { $0[index] == nil || $0[index] is NSNumber }
        }
        if let lineWidth {
            widths.removeLast(widths.count - Self.shownCount(widths, in: lineWidth))
            Self.fit(&widths, into: lineWidth)
        }
        self.widths = widths
        cuts = lineWidth != nil
    }

    /// How many columns have room, each cut as far as can be; one at least.
    private static func shownCount(_ widths: [Int], in lineWidth: Int) -> Int {
        var room = lineWidth + gap.count
        return max(
            widths.prefix { width in
                room -= min(width, least) + gap.count
                return room >= 0
            }.count,
            min(widths.count, 1)
        )
    }

    /// How many columns are shown, the first ones.
    var columnCount: Int { widths.count }

    /// Takes from the widest columns first.
    private static func fit(_ widths: inout [Int], into lineWidth: Int) {
        let gaps = gap.count * max(widths.count - 1, 0)
        var excess = widths.reduce(gaps, +) - lineWidth
        while excess > 0, let widest = widths.max(), widest > least,
            let index = widths.firstIndex(of: widest)
        {
            widths[index] -= 1
            excess -= 1
        }
    }

    /// The line below the names of columns.
    var rule: String {
        widths.map { String(repeating: "─", count: $0) }.joined(separator: Self.gap)
    }

    /// A row's cells in a line, without those that have no room.
    func line(_ cells: [String]) -> String {
        let padded = cells.prefix(columnCount).enumerated().map { index, cell in
            let excess = cell.count - widths[index]
            guard excess <= 0 else { return cuts ? cell.prefix(widths[index] - 1) + "…" : cell }
            let padding = String(repeating: " ", count: -excess)
            return areNumbers[index] ? padding + cell : cell + padding
        }
        let line = padded.joined(separator: Self.gap)
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// One line without control characters, which could drive the terminal.
    static func cell(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }
}
