import Foundation

/// How long the object layer takes beside bare SQLite.
public struct LayerReport: Codable, Sendable {
    /// A workload. Times are in seconds, one for each round.
    public struct Line: Codable, Sendable {
        /// The letter under which the targets list it.
        public var letter: String
        /// What is done.
        public var title: String
        /// At most how many times as long as bare SQLite the layer may take.
        public var target: Double?
        /// Bare SQLite.
        public var bareSeconds: [Double]
        /// The object layer.
        public var layerSeconds: [Double]

        /// How many times as long the layer took, by the fastest rounds: what disturbs a round
        /// makes it slower, never faster.
        public var ratio: Double { Self.best(layerSeconds) / max(Self.best(bareSeconds), 1e-9) }
        /// Whether that is no more than the target; true without one.
        public var meetsTarget: Bool { target.map { ratio <= $0 } ?? true }

        static func best(_ seconds: [Double]) -> Double { seconds.min() ?? 0 }
    }

    /// Where and when it was measured.
    public var environment: BenchmarkEnvironment
    /// Over how many items.
    public var rowCount: Int
    /// The workloads.
    public var lines: [Line]

    /// The report as text: a line for each workload.
    public var text: String {
        var table = TextTable(
            header: ["workload", "bare, ms", "layer (KVC), ms", "ratio", "target", ""]
        )
        for line in lines {
            table.rows.append([
                "\(line.letter)  \(line.title)",
                NumberText.short(Line.best(line.bareSeconds) * 1_000),
                NumberText.short(Line.best(line.layerSeconds) * 1_000),
                NumberText.short(line.ratio), line.target.map { NumberText.short($0) } ?? "–",
                line.target == nil ? "" : line.meetsTarget ? "met" : "missed",
            ])
        }
        return table.lines.joined(separator: "\n")
    }

    /// The report as JSON, with names as in the declarations.
    ///
    /// - Throws: What the encoder throws.
    public func json() throws -> Data { try ReportCoding.encode(self) }
}
