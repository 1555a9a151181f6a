import Foundation

/// How costs grow, and whether any of them grows faster than what there is more of.
package struct GrowthReport: Codable, Sendable {
    /// Where and when it was measured.
    package var environment: BenchmarkEnvironment
    /// What was asked for.
    package var settings: GrowthSettings
    /// The most memory that the process of the layer's workloads had in use, in bytes.
    package var peakByteCount: Int
    /// What was measured.
    package var series: [GrowthSeries]

    /// The units that there are series of, and these.
    var groups: [(unit: GrowthSeries.Unit, series: [GrowthSeries])] {
        GrowthSeries.Unit.allCases.map { unit in (unit, series.filter { $0.unit == unit }) }
            .filter { !$0.series.isEmpty }
    }

    /// Which costs grow faster than what there is more of, in a sentence for each; one that says so
    /// if none does.
    package var verdicts: [String] {
        let faster = series.filter(\.growsFaster).map { series in
            var text =
                "\(series.title), by \(series.unit.rawValue): the exponent is "
                + Self.text(series.exponent)
            if let bare = series.bareExponent { text += ", bare SQLite's \(Self.text(bare))" }
            return text + (series.sorts ? ", which sorting does not explain." : ".")
        }
        guard !faster.isEmpty else {
            let largest = series.compactMap(\.exponent).max() ?? 0
            return [
                "Nothing grows faster than what there is more of, but for what sorting and SQLite "
                    + "add: no exponent is above \(NumberText.short(largest))."
            ]
        }
        return ["Faster than what there is more of grow:"] + faster
    }

    /// What each of the series with a target costs, in a sentence for each.
    package var costs: [String] {
        series.compactMap { series in
            guard let target = series.target, let whole = series.costOfEach,
                let count = series.points.last?.count
            else { return nil }
            let cost = series.mergeCostOfEach ?? whole
            var text =
                "\(series.title): \(NumberText.short(cost)) µs for each of "
                + "\(NumberText.grouped(Double(count))) \(series.unit.rawValue)"
            if series.mergeCostOfEach != nil {
                text += ", \(NumberText.short(whole)) with the turns of the main queue"
            }
            let verdict = cost <= target ? "met" : "missed"
            return text + "; the target, \(NumberText.short(target)), is \(verdict)."
        }
    }

    /// The tables, one for each unit, with headers that end with the exponents.
    func table(_ unit: GrowthSeries.Unit, _ series: [GrowthSeries]) -> TextTable {
        let counts = series.first?.points.map(\.count) ?? []
        var table = TextTable(
            header: ["ms, by \(unit.rawValue)"]
                + counts.map { NumberText.grouped(Double($0)) } + ["exponent", "bare's"]
        )
        for one in series {
            table.rows.append(
                [one.title] + one.points.map { NumberText.short($0.typical * 1_000) }
                    + [Self.text(one.exponent), Self.text(one.bareExponent)]
            )
        }
        return table
    }

    /// What the figures are.
    var conditions: String {
        let rounds = settings.roundCount
        let parts = [
            rounds == 1
                ? "One round."
                : "The fastest of \(rounds) rounds where bare SQLite does the same, otherwise the median.",
            "Merges of fewer rows have up to \(GrowthSettings.mostRounds) times as many rounds.",
            "Exponents are those of the last step, from the largest size but one to the largest.",
            "Merges are in processor time of the main thread; targets are of what merges themselves "
                + "take of the main queue.",
            "Memory of the layer's workloads: at most "
                + "\(NumberText.text(Double(peakByteCount), .mebibytes)) MB.",
        ]
        return (parts + warnings).joined(separator: " ")
    }

    /// Why the figures say little, in sentences; empty if they say what they seem to.
    private var warnings: [String] {
        // The workers of an import, main, and who waits for them.
        let threadCount = (settings.workerCounts.max() ?? 0) + 2
        return [environment.debugText, environment.busyText(threadCount: threadCount)]
            .compactMap { $0 }
    }

    /// The report as text: tables, then what grows faster than it may.
    package var text: String {
        let tables = groups.flatMap { table($0.unit, $0.series).lines + [""] }
        return (tables + [conditions] + costs + verdicts).joined(separator: "\n")
    }

    /// The report as a part of a page in Markdown: where it was measured, tables, what grows faster.
    package var markdown: String {
        let tables = groups.map {
            table($0.unit, $0.series).markdown.joined(separator: "\n") + "\n"
        }
        let conditions = [environment.placeText + " " + conditions + "\n"]
        return (conditions + tables + (costs + verdicts).map { "- " + $0 }).joined(separator: "\n")
            + "\n"
    }

    /// The report as JSON, with names as in the declarations.
    ///
    /// - Throws: What the encoder throws.
    package func json() throws -> Data { try ReportCoding.encode(self) }

    private static func text(_ exponent: Double?) -> String {
        exponent.map { NumberText.short($0) } ?? "–"
    }
}
