import Foundation

/// How long the object layer takes beside bare SQLite.
package struct LayerReport: Codable, Sendable {
    /// A workload.
    package struct Line: Codable, Sendable {
        /// The letter under which the targets list it.
        package var letter: String
        /// What is done.
        package var title: String
        /// At most how many times as long as bare SQLite typed access may take.
        package var target: Double?
        /// The same for key-value access.
        package var keyedTarget: Double?
        /// What bare SQLite does otherwise than the layer, in a sentence; nil if they do the same.
        package var inequality: String?
        /// Over what was read or written, the same for all sides: programs in other languages
        /// compare theirs with it.
        package var sum: Int64
        /// Bare SQLite.
        package var bare: LayerTimes
        /// The object layer, by the properties of entity classes.
        package var typed: LayerTimes
        /// The object layer, by the properties of entity classes of another module.
        package var module: LayerTimes
        /// The object layer, by key-value access.
        package var keyed: LayerTimes

        /// How many times as long typed access took, by the fastest times.
        package var typedRatio: Double { ratio(typed) }
        /// How many times as long typed access took with the classes of another module.
        package var moduleRatio: Double { ratio(module) }
        /// How many times as long key-value access took, by the fastest times.
        package var keyedRatio: Double { ratio(keyed) }
        /// How far the ratio of typed access can be trusted, as a share of it; nil of a single round.
        package var resolution: Double? {
            guard let bare = bare.difference, let typed = typed.difference else { return nil }
            return max(bare, typed)
        }
        /// Whether typed access takes no longer than the target; true without one.
        package var meetsTarget: Bool { target.map { typedRatio <= $0 } ?? true }

        /// The same times of the layer beside another bare SQLite, which no target is for.
        func beside(_ title: String, _ bare: LayerTimes) -> Line {
            var line = self
            line.letter += Self.fairMark
            line.title = title
            line.target = nil
            line.keyedTarget = nil
            line.inequality = nil
            line.bare = bare
            return line
        }

        /// Stands behind the letter of a line beside a fair bare SQLite.
        static let fairMark = "+"

        private func ratio(_ times: LayerTimes) -> Double { times.best / max(bare.best, 1e-9) }
    }

    /// Where and when it was measured.
    package var environment: BenchmarkEnvironment
    /// Over how many items.
    package var rowCount: Int
    /// The workloads.
    package var lines: [Line]
    /// How much memory a fetched object takes, in bytes; nil where the system does not tell.
    package var bytesPerObject: Double?

    /// The report as text: a line for each workload, and what is unequal in them.
    package var text: String {
        var table = TextTable(
            header: [
                "workload", "bare, ms", "typed, ms", "module, ms", "KVC, ms", "KVC ratio",
                "module ratio", "typed ratio", "rounds differ by, %", "target", "",
            ]
        )
        for line in lines {
            table.rows.append([
                "\(line.letter)  \(line.title)",
                NumberText.short(line.bare.best * 1_000),
                NumberText.short(line.typed.best * 1_000),
                NumberText.short(line.module.best * 1_000),
                NumberText.short(line.keyed.best * 1_000),
                NumberText.short(line.keyedRatio), NumberText.short(line.moduleRatio),
                NumberText.short(line.typedRatio),
                line.resolution.map { NumberText.text($0, .percent) } ?? "–",
                line.target.map { NumberText.short($0) } ?? "–",
                line.target == nil ? "" : line.meetsTarget ? "met" : "missed",
            ])
        }
        let unequal = inequalities
        let explained =
            unequal.isEmpty
            ? []
            : [
                "", "What is unequal, and what the lines with \"\(Line.fairMark)\" do without:",
            ] + unequal
        return (table.lines + explained + ["", Self.columns] + otherTargets + warnings)
            .joined(separator: "\n")
    }

    private static let columns =
        "Ratios are to bare SQLite, each part of a workload in the round that was fastest with it; "
        + "\"module\" are the properties of entity classes of another module. Even rounds and odd "
        + "ones measure the same: typed ratios that are closer than these differ say nothing."

    /// What else is aimed at, and whether it is reached, in sentences.
    private var otherTargets: [String] {
        func outcome(_ figure: Double, _ target: Double) -> String {
            "the target, \(NumberText.short(target)), is \(figure <= target ? "met" : "missed")."
        }
        var sentences = lines.compactMap { line in
            line.keyedTarget.map { target in
                "\(line.letter) by key-value access takes \(NumberText.short(line.keyedRatio)) times "
                    + "as long as bare SQLite; " + outcome(line.keyedRatio, target)
            }
        }
        if let bytesPerObject {
            sentences.append(
                "A fetched object takes \(NumberText.short(bytesPerObject)) bytes; "
                    + outcome(bytesPerObject, LayerMemory.target)
            )
        }
        return sentences
    }

    /// What bare SQLite does otherwise, by the letters of the workloads.
    private var inequalities: [String] {
        lines.compactMap { line in line.inequality.map { "\(line.letter)  \($0)" } }
    }

    /// Why the figures say little, in sentences; empty if they say what they seem to.
    private var warnings: [String] {
        // The layer copies its log on a second thread.
        [environment.debugText, environment.busyText(threadCount: 2)].compactMap { $0 }
            .map { "Warning: " + $0 }
    }

    /// The report as a part of a page in Markdown: where it was measured, a table of ratios, what is
    /// unequal.
    package var markdown: String {
        var table = TextTable(
            header: [
                "workload", "bare SQLite, ms", "key-value access", "typed, other module", "typed",
                "rounds differ by, %", "target",
            ]
        )
        for line in lines {
            table.rows.append([
                "\(line.letter) \(line.title)",
                NumberText.short(line.bare.best * 1_000),
                NumberText.short(line.keyedRatio), NumberText.short(line.moduleRatio),
                NumberText.short(line.typedRatio),
                line.resolution.map { NumberText.text($0, .percent) } ?? "",
                line.target.map { NumberText.short($0) } ?? "",
            ])
        }
        let place =
            environment.placeText + " \(NumberText.grouped(Double(rowCount))) rows. "
            + Self.columns + "\n"
        let notes = inequalities + otherTargets + warnings
        let parts = [place] + table.markdown + [""] + notes.map { "- " + $0 }
        return parts.joined(separator: "\n") + "\n"
    }

    /// The report as JSON, with names as in the declarations.
    ///
    /// - Throws: What the encoder throws.
    package func json() throws -> Data { try ReportCoding.encode(self) }
}
