import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import MergeBench

@Suite struct BenchmarkReportTests {
    @Test func mediansOfKnownRuns() throws {
        let report = SampleReport.make()
        let series = try #require(report.series(.bulkImport, rows: 1_000, layout: "ours,2"))
        #expect(series.runs.count == 3)
        #expect(series.median(\.savedSeconds) == 3)
        #expect(series.worst { $0.mainQueue?.longestSeconds } == 0.03)
        #expect(series.typicalRun.round == 1)
        #expect(report.ratioToBare(.bulkImport, 1_000, layout: "ours,2") == 3)
        #expect(series.runs[1].mainQueue?.busySeconds == 1)
        #expect(series.runs[1].mainQueue?.longerThanFrameCount == 1)
        #expect(series.runs[0].mainQueue?.longerThanFrameCount == 0)
    }

    @Test func otherRowsAreReported() {
        var report = SampleReport.make()
        #expect(report.wrongResults.isEmpty)
        report.results[1].checksum = "fedcba9876543210"
        #expect(report.wrongResults.map(\.layout) == ["ours,2"])
        #expect(report.text.contains("1 runs ended with other rows than bare SQLite has"))
        #expect(BenchmarkPage(report).html.contains("class=\"wrong\""))
    }

    @Test func jsonComesBack() throws {
        let report = SampleReport.make()
        let again = try BenchmarkReport(json: report.json())
        #expect(again.results == report.results)
        #expect(again.settings == report.settings)
        #expect(again.environment == report.environment)
        #expect(try again.json() == report.json())
    }

    @Test func csvHasALineForEachRunAndAValueForEachColumn() throws {
        let report = SampleReport.make()
        let lines = report.csv.components(separatedBy: "\r\n")
        #expect(lines.last == "")
        #expect(lines.count == report.results.count + 2)
        let header = lines[0].split(separator: ",")
        // The quoted name holds a comma.
        let first = lines[2].replacingOccurrences(of: "\"ours,2\"", with: "ours")
        #expect(lines[2].contains("\"ours,2\""))
        let fields = first.split(separator: ",", omittingEmptySubsequences: false)
        #expect(fields.count == header.count)
        let saved = try #require(header.firstIndex(of: "saved_seconds"))
        #expect(fields[saved] == "2")
        let busy = try #require(header.firstIndex(of: "main_busy_seconds"))
        #expect(fields[busy] == "1")
    }

    @Test func markdownHasMediansOfEachLayout() {
        let one = SampleReport.make(sizes: [1_000]).markdown
        #expect(
            one.contains(
                """
                ### Import

                | | × bare | main busy, share | longest wait, ms (worst round) | time in waits > 1/60 s |
                | --- | --- | --- | --- | --- |
                | Ours <&> "yours" | 3.00 | 25 % | 20.0 (30.0) | 1 % |

                ### Updates
                """
            ),
            "\(one)"
        )
        #expect(SampleReport.make().markdown.contains("### Import, 10,000 rows"))
    }

    @Test func everyPlotIsWellFormedXML() throws {
        let page = BenchmarkPage(SampleReport.make()).html
        let drawings = page.components(separatedBy: "<svg ").dropFirst().compactMap { part in
            part.range(of: "</svg>").map { "<svg " + part[..<$0.upperBound] }
        }
        // For each of two workloads a timeline in two widths, four plots and two over the sizes.
        #expect(drawings.count == 16)
        for drawing in drawings { try expectWellFormed(drawing) }
        try expectWellFormed(try #require(SampleReport.make().timelineFigure))
    }

    @Test func thePageIsWellFormedAndNeedsNothingElse() throws {
        let page = BenchmarkPage(SampleReport.make()).html
        // As XML it would be, but for the elements that HTML does not close.
        let closed = page.replacingOccurrences(of: "<!DOCTYPE html>", with: "")
            .replacingOccurrences(
                of: "<meta ([^>]*)>",
                with: "<meta $1/>",
                options: .regularExpression
            )
        try expectWellFormed(closed)
        #expect(!page.contains("<script"))
        #expect(!page.contains("src="))
        #expect(!page.contains("href="))
        #expect(!page.contains("@import"))
        #expect(page.contains("Ours &lt;&amp;&gt; &quot;yours&quot;"))
    }

    @Test func oneSizeAndOneRoundAreEnough() throws {
        let page = BenchmarkPage(SampleReport.make(rounds: 1, sizes: [100])).html
        #expect(page.components(separatedBy: "<svg ").count == 13)
        #expect(!page.contains("nan"))
    }

    private func expectWellFormed(_ text: String) throws {
        let parser = XMLParser(data: Data(text.utf8))
        let isWellFormed = parser.parse()
        #expect(
            isWellFormed,
            "line \(parser.lineNumber): \(String(describing: parser.parserError))"
        )
    }
}
