import Testing

@testable import MergeBench

/// What the report of the object layer says of its targets.
@Suite struct LayerReportTests {
    private func report(
        bare: [Double] = [1],
        typed: [Double] = [1.5],
        keyed seconds: Double = 4,
        bytesPerObject: Double? = nil
    ) -> LayerReport {
        LayerReport(
            environment: .current,
            rowCount: 100,
            lines: [
                LayerReport.Line(
                    letter: "c",
                    title: "fetch all",
                    target: 1.7,
                    keyedTarget: 4,
                    sum: 0,
                    bare: LayerTimes(rounds: bare.map { [$0] }),
                    typed: LayerTimes(rounds: typed.map { [$0] }),
                    module: LayerTimes(rounds: [[1.5]]),
                    keyed: LayerTimes(rounds: [[seconds]])
                )
            ],
            bytesPerObject: bytesPerObject
        )
    }

    @Test func targetsOfOtherAccessAndOfMemoryAreSaid() {
        let missed = report(keyed: 6.25, bytesPerObject: 321)
        for text in [missed.text, missed.markdown] {
            #expect(
                text.contains(
                    "c by key-value access takes 6.25 times as long as bare SQLite; the target, "
                        + "4.00, is missed."
                )
            )
            #expect(
                text.contains("A fetched object takes 321 bytes; the target, 320, is missed.")
            )
        }
        let met = report(keyed: 4, bytesPerObject: nil)
        #expect(met.text.contains("the target, 4.00, is met."))
        #expect(!met.text.contains("bytes"))
    }

    /// The last words of the line of "c": how far rounds differ, the target, whether it is met.
    private func end(bare: [Double], typed: [Double]) throws -> [Substring] {
        let text = report(bare: bare, typed: typed).text
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("c  fetch all") })
        return line.split(separator: " ").suffix(3)
    }

    @Test func howFarRoundsDifferStandsBesideEachTarget() throws {
        #expect(try end(bare: [1, 1], typed: [1.7, 1.7]) == ["0", "1.70", "met"])
        // The even rounds of bare SQLite and its odd ones differ by 4 %, those of the layer by 2.
        let near = try end(bare: [1.04, 1, 1.05, 1.01], typed: [1.72, 1.76, 1.9, 1.755])
        #expect(near == ["4.00", "1.70", "missed"])
        // A single round says nothing of how far to trust it.
        #expect(try end(bare: [1], typed: [1.71]) == ["–", "1.70", "missed"])
    }

    @Test func eachPartCountsAsInItsFastestRound() {
        let times = LayerTimes(rounds: [[1, 5], [4, 2], [3, 3], [2, 7]])
        #expect(times.best == 3)
        // The first and the third round have 1 and 3, the others 2 and 2.
        #expect(times.difference == 0)
        #expect(LayerTimes(rounds: [[1, 2]]).difference == nil)
        #expect(LayerTimes(rounds: [[2], [3]]).difference == 0.5)
    }
}
