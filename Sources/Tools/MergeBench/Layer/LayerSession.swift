import Foundation

/// The object layer beside bare SQLite: workloads a to i with their targets.
///
/// > Threading: Any thread; one at a time.
package struct LayerSession {
    private let rowCount: Int
    private let roundCount: Int
    private let seed: UInt64
    private let letters: [String]
    /// The letters of all workloads.
    package static let allLetters = ["a", "b", "c", "d", "d2", "e", "f", "g", "h", "i", "o"]
    /// Called with each line as it is measured.
    package var onLine: (LayerReport.Line) -> Void = { _ in }

    /// A session over so many rows.
    ///
    /// - Parameters:
    ///   - rowCount: How many items; the targets are for 100,000.
    ///   - roundCount: How often each side does each workload; of each part the fastest counts.
    ///   - seed: Other rows come from another seed.
    ///   - letters: Which workloads.
    package init(
        rowCount: Int = 100_000,
        roundCount: Int = 5,
        seed: UInt64 = 17,
        letters: [String] = allLetters
    ) {
        self.rowCount = rowCount
        self.roundCount = roundCount
        self.seed = seed
        self.letters = letters
    }

    /// Measures the workloads.
    ///
    /// - Throws: ``BenchmarkError`` if the layer reads or writes other rows than bare SQLite.
    package func run() throws -> LayerReport {
        let (measured, environment) = try BenchmarkEnvironment.around { try measureAll() }
        return LayerReport(
            environment: environment,
            rowCount: rowCount,
            lines: measured.lines,
            bytesPerObject: measured.bytesPerObject
        )
    }

    private func measureAll() throws -> (lines: [LayerReport.Line], bytesPerObject: Double?) {
        try TemporaryFolder.with("layer") { folder in
            let fixture = try LayerFixture(rows: rowCount, seed: seed, folder: folder)
            let bytesPerObject = try LayerMemory.bytesPerObject(fixture)
            let workloads: [any LayerWorkload] =
                LayerInserts.all(fixture) + (try LayerQuery.all(fixture))
                + [
                    LayerChanges(kind: .update, fixture: fixture),
                    LayerChanges(kind: .delete, fixture: fixture),
                ] + [try LayerOpening(fixture)]
            let chosen = workloads.filter { letters.contains($0.letter) }
            let lines = try chosen.sorted { $0.letter < $1.letter }.flatMap { workload in
                let measured = try measure(workload)
                onLine(measured[0])
                return measured
            }
            return (lines, bytesPerObject)
        }
    }

    /// The line of a workload, and the one beside a fair bare SQLite, where there is one.
    private func measure(_ workload: any LayerWorkload) throws -> [LayerReport.Line] {
        let fair = workload.fairBare
        let sides: [() throws -> LayerTime] =
            [
                workload.bare, { try workload.layer(TypedAccess()) },
                { try workload.layer(ModuleAccess()) }, { try workload.layer(KeyedAccess()) },
            ] + (fair.map { [$0.measure] } ?? [])
        var times = Array(repeating: LayerTimes(rounds: []), count: sides.count)
        var sum = ValueSum()
        for round in 0..<roundCount {
            var sums: [ValueSum] = []
            // In both orders, so that no side always runs behind the same one.
            for side in round % 2 == 0 ? Array(sides.indices) : sides.indices.reversed() {
                let time = try sides[side]()
                times[side].rounds.append(time.parts)
                sums.append(time.sum)
            }
            // A side that does less than the others would seem fast.
            guard sums.allSatisfy({ $0 == sums[0] }) else {
                throw BenchmarkError.otherValues(workload.letter)
            }
            sum = sums[0]
        }
        let line = LayerReport.Line(
            letter: workload.letter,
            title: workload.title,
            target: workload.target,
            keyedTarget: workload.keyedTarget,
            inequality: workload.inequality,
            sum: sum.value,
            bare: times[0],
            typed: times[1],
            module: times[2],
            keyed: times[3]
        )
        return [line] + (fair.map { [line.beside($0.title, times[4])] } ?? [])
    }
}
