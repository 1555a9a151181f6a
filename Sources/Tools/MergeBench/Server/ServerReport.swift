#if PostgreSQL
import Foundation

/// How long stores over PostgreSQL take beside bare libpq and beside an SQLite store.
package struct ServerReport: Codable, Sendable {
    /// A workload.
    package struct Line: Codable, Sendable {
        /// What is done.
        package var title: String
        /// What the store is beside; nil for a figure that stands alone.
        package var besides: String?
        /// That other one's figure, in `unit`.
        package var bare: Double?
        /// The store's figure.
        package var store: Double
        /// What the figures are in.
        package var unit: String
        /// What the ratio, or the figure that stands alone, has to be.
        package var target: Double
        /// Whether it has to be as much at least; otherwise at most.
        package var isAtLeast = false

        /// How many times as much as the other one; the figure itself where there is none.
        package var ratio: Double { bare.map { store / max($0, 1e-9) } ?? store }
        package var meetsTarget: Bool { isAtLeast ? ratio >= target : ratio <= target }
    }

    /// Where and when it was measured.
    package var environment: BenchmarkEnvironment
    /// Over how many items.
    package var rowCount: Int
    /// The workloads.
    package var lines: [Line]

    /// The report as text: a line for each workload.
    package var text: String {
        (table.lines + warnings.map { "Warning: " + $0 }).joined(separator: "\n")
    }

    /// The report as a part of a page in Markdown.
    package var markdown: String {
        let place =
            environment.placeText + " \(NumberText.grouped(Double(rowCount))) rows.\n"
        return ([place] + table.markdown + warnings.map { "- " + $0 }).joined(separator: "\n")
            + "\n"
    }

    /// The report as JSON, with names as in the declarations.
    ///
    /// - Throws: What the encoder throws.
    package func json() throws -> Data { try ReportCoding.encode(self) }

    private var table: TextTable {
        var table = TextTable(header: ["workload", "beside", "store", "ratio", "target", ""])
        for line in lines {
            table.rows.append([
                line.title,
                line.bare.map { "\(NumberText.short($0)) \(line.besides ?? "")" } ?? "–",
                "\(NumberText.short(line.store)) \(line.unit)",
                line.bare == nil ? "–" : NumberText.short(line.ratio),
                (line.isAtLeast ? "≥ " : "≤ ") + NumberText.short(line.target),
                line.meetsTarget ? "met" : "missed",
            ])
        }
        return table
    }

    private var warnings: [String] {
        // The server's processes and the listener's want processors, too.
        [environment.debugText, environment.busyText(threadCount: 4)].compactMap { $0 }
    }
}
#endif
