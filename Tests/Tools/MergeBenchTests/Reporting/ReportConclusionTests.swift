import Foundation
import Testing

@testable import MergeBench

/// What a report says first, and when it refuses to.
@Suite struct ReportConclusionTests {
    @Test func theHeadlineHasTheWorstRoundAndTheMedian() {
        let report = SampleReport.make()
        #expect(report.warnings == [])
        let text =
            "Import, 10,000 rows: in the worst of 3 rounds a tap had to wait for the main queue for "
            + "30.0 ms with ours <&> \"yours\" (median 20.0 ms)."
        #expect(report.headline == text)
        #expect(report.text.hasSuffix(text))
        #expect(report.markdown.contains(text))
        #expect(BenchmarkPage(report).html.contains("30.0 ms with ours &lt;&amp;&gt;"))
    }

    @Test(
        arguments: [
            (26, 3, nil, "its load was 26.0 before."),
            (0.2, 26, nil, "its load was 26.0 after."),
            (0.2, 3, 0.35, "others used 35 % of its processors meanwhile."),
            (3.2, 40, 0.5, "before, its load was 40.0 after, others used 50 %"),
        ] as [(Double, Double, Double?, String)]
    )
    func aBusyMachineIsWarnedOfAndNothingConcluded(
        _ load: Double,
        _ loadAfter: Double,
        _ share: Double?,
        _ text: String
    ) {
        var report = SampleReport.make()
        report.environment.load = load
        report.environment.loadAfter = loadAfter
        report.environment.othersShare = share
        #expect(report.warnings.count == 1)
        #expect(report.warnings[0].contains("The machine of 2 cores was busy: "))
        #expect(report.warnings[0].contains(text), "\(report.warnings)")
        expectNoConclusion(report)
    }

    @Test func roundsOfBareSQLiteThatLieFarApartAreWarnedOf() throws {
        var report = SampleReport.make()
        let slow = try #require(
            report.results.firstIndex {
                $0.layout == StackLayout.bareName && $0.sizeRowCount == 10_000
                    && $0.workload == .bulkImport && $0.round == 1
            }
        )
        report.results[slow].savedSeconds = 1.4
        #expect(report.warnings == [])
        report.results[slow].savedSeconds = 1.6
        #expect(report.warnings.count == 1)
        #expect(
            report.warnings[0].hasPrefix(
                "Import, 10,000 rows: bare SQLite, which does the same in each round, took from "
                    + "1,000 to 1,600 ms."
            )
        )
        expectNoConclusion(report)
        // Other workloads and sizes are told apart as before.
        #expect(report.doubts(.bulkImport, rows: 1_000) == [])
        #expect(report.doubts(.changing, rows: 10_000) == [])
    }

    @Test func aHostThatTookProcessorsInMostRoundsIsWarnedOf() {
        var report = SampleReport.make()
        let rounds = report.results.indices.filter {
            report.results[$0].layout != StackLayout.bareName
                && report.results[$0].sizeRowCount == 10_000
                && report.results[$0].workload == .bulkImport
        }
        for index in report.results.indices { report.results[index].hostShare = 0.01 }
        report.results[rounds[0]].hostShare = 0.05
        // The median is none of the one round that is longer for it.
        #expect(report.warnings == [])
        report.results[rounds[2]].hostShare = 0.02
        #expect(report.warnings.count == 1)
        let text =
            "Import, 10,000 rows: the machine's host took more than 1 % of its processors in 2 of 6 "
            + "measurements, 5.00 % at most."
        #expect(report.warnings[0].hasPrefix(text), "\(report.warnings)")
        expectNoConclusion(report)
        #expect(report.doubts(.bulkImport, rows: 1_000) == [])
    }

    @Test func attemptsThatAreLeftOutAreSaid() {
        var report = SampleReport.make()
        let text = "3 attempts left out, during which the machine's host took more than 1 %"
        #expect(!report.text.contains("attempt"))
        report.results[0].attemptCount = 2
        #expect(report.text.contains("\n1 attempt left out, "))
        report.results[1].attemptCount = 3
        for place in [report.text, report.markdown, BenchmarkPage(report).html] {
            #expect(place.contains(text))
        }
    }

    @Test func aBestLayoutIsMarkedOnlyWhereNothingIsInDoubt() {
        var report = SampleReport.make()
        let first = report.results
        report.layouts.append(.init(.notificationMerge))
        report.results += first.filter { $0.layout != StackLayout.bareName }.map {
            var other = $0
            other.layout = StackLayout.notificationMerge.name
            other.mainQueue?.longestSeconds /= 2
            return other
        }
        #expect(BenchmarkPage(report).html.contains("<td class=\"best\">15.0</td>"))
        let best = "for 15.0 ms with notification merge (median 10.0 ms), and 30.0 ms with ours"
        #expect(report.headline.contains(best))
        report.environment.load = 26
        #expect(!BenchmarkPage(report).html.contains("class=\"best\""))
    }

    @Test func whatIsAimedAtIsSaidOfTheMergingLayout() {
        var report = SampleReport.make(sizes: [100_000])
        #expect(report.targets == [])
        report.layouts.append(.init(.notificationMerge))
        // Of 10, 20 and 30 ms, a quarter.
        report.results += report.results.filter { $0.layout != StackLayout.bareName }.map {
            var other = $0
            other.layout = StackLayout.notificationMerge.name
            other.mainQueue?.longestSeconds /= 4
            return other
        }
        let wait = "main's longest wait with notification merge is 5.00 ms; the target, "
        let met = "Import, saves of 1,000: \(wait)5.00, is met."
        #expect(report.targets == [met])
        for text in [report.text, report.markdown, BenchmarkPage(report).html] {
            #expect(text.contains(met))
        }
        report.settings.workload.batchSize = 10_000
        #expect(report.targets == ["Import, saves of 10,000: \(wait)16.7, is met."])
        report.settings.workload.batchSize = 500
        #expect(report.targets == [])
        report.settings.workload.batchSize = 1_000
        report.environment.load = 26
        #expect(report.targets == [])
    }

    @Test func oneRoundIsNoMedian() {
        let report = SampleReport.make(rounds: 1)
        #expect(report.warnings.contains { $0.hasPrefix("Each was measured once") })
        expectNoConclusion(report)
        for text in [report.text, report.markdown, BenchmarkPage(report).html] {
            #expect(!text.contains("1 rounds"))
            #expect(!text.contains("1 times"))
            #expect(text.contains("one round"))
        }
    }

    @Test func rowsThatAreLostAreNoGroundForAConclusion() {
        var report = SampleReport.make()
        report.results[1].checksum = "fedcba9876543210"
        #expect(report.headline == "No conclusion: not every layout did its work.")
    }

    @Test func theTimelineSaysWhatItsMarksAreInBothWidths() throws {
        let page = BenchmarkPage(SampleReport.make()).html
        let figure = try #require(SampleReport.make().timelineFigure)
        for width in ["0 0 1080 ", "0 0 344 "] { #expect(page.contains("viewBox=\"\(width)")) }
        for text in ["1/60 s (16.7 ms)", "a picture missed", "in its layout's colour"] {
            #expect(figure.contains(text))
            // Two widths for each of two workloads.
            #expect(page.components(separatedBy: text).count > 4)
        }
    }

    private func expectNoConclusion(_ report: BenchmarkReport) {
        #expect(report.headline.hasPrefix("No conclusion: "))
        let page = BenchmarkPage(report).html
        #expect(page.contains("<p class=\"lead\">No conclusion: "))
        #expect(page.contains("<ul class=\"warnings\">"))
        #expect(report.text.contains("Warning: "))
        #expect(report.text.contains("No conclusion: "))
        #expect(report.markdown.contains("No conclusion: "))
    }
}
