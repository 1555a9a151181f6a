import Foundation
import SeededRandom
import TestSupport
import Testing

@testable import MergeBench

/// The generator of Benchmarks/Peers, which makes the rows once more in Python.
@Suite struct PeerRowsTests {
    private static let peers = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Benchmarks/Peers")

    /// What a line of Python prints where the rows' module is known.
    private func printed(_ line: String) throws -> String {
        try ChildProgram.output([
            "env", "PYTHONPATH=" + Self.peers.path,
            "python3", "-B", "-c", "import rows; print(\(line))",
        ]).trimmingCharacters(in: .newlines)
    }

    @Test(arguments: [17, 4_711]) func rowsAreTheSameInPython(seed: UInt64) throws {
        var sum = ValueSum()
        for item in (1...500).map({ Item($0, seed: seed) }) {
            for number in [item.number, item.category, item.score, item.code] { sum.add(number) }
            for real in [item.ratio, item.amount, item.date] { sum.add(real) }
            for text in [item.name, item.mail, item.text] { sum.add(text) }
        }
        #expect(try printed("rows.value_sum(rows.items(500, \(seed)))") == "\(sum.value)")
    }

    @Test func theSampleIsTheSameInPython() throws {
        var random = SplitMix(seed: 17)
        let sample = (1...1_000).shuffled(using: &random)
        #expect(try printed("rows.sample(1000, 17)") == "\(sample)")
    }
}
