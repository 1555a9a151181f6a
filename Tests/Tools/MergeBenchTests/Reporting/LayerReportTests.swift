import Testing

@testable import MergeBench

/// What the report of the object layer says of its targets.
@Suite struct LayerReportTests {
    private func report(keyed seconds: Double, bytesPerObject: Double?) -> LayerReport {
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
                    bareSeconds: [1],
                    typedSeconds: [1.5],
                    moduleSeconds: [1.5],
                    keyedSeconds: [seconds]
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
}
