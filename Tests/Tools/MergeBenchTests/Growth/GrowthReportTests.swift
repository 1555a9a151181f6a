import Foundation
import Testing

@testable import MergeBench

/// What a report on growth says of figures that are made up.
@Suite struct GrowthReportTests {
    private func report(_ series: [GrowthSeries]) -> GrowthReport {
        GrowthReport(
            environment: .current,
            settings: .quick,
            peakByteCount: 1 << 20,
            series: series
        )
    }

    private func series(
        _ title: String,
        sorts: Bool = false,
        bare: Double? = nil,
        exponent: Double
    ) -> GrowthSeries {
        let points = [1_000, 10_000, 100_000].map { count in
            GrowthSeries.Point(
                count: count,
                // Beside bare SQLite the fastest round counts, otherwise the one in the middle.
                seconds: (bare == nil ? [0.1, 1, 2] : [1, 2, 3])
                    .map { $0 * pow(Double(count), exponent) / 1e6 },
                bareSeconds: bare.map { [pow(Double(count), $0) / 1e6] } ?? []
            )
        }
        return GrowthSeries(title: title, unit: .rows, sorts: sorts, points: points)
    }

    @Test func whatGrowsAsItsRowsIsNotTold() {
        let report = report([
            series("read", exponent: 1), series("look up", exponent: 0),
            series("sort", sorts: true, exponent: 1.15),
        ])
        #expect(report.verdicts.count == 1)
        #expect(report.verdicts[0].hasPrefix("Nothing grows faster"))
    }

    @Test func whatGrowsFasterThanItsRowsIsNamedWithItsExponent() {
        let report = report([
            series("read", exponent: 1), series("compare", bare: 1, exponent: 1.15),
            series("list", sorts: true, exponent: 2),
        ])
        let expected = [
            "Faster than what there is more of grow:",
            "compare, by rows: the exponent is 1.15, bare SQLite's 1.00.",
            "list, by rows: the exponent is 2.00, which sorting does not explain.",
        ]
        #expect(report.verdicts == expected)
        #expect(expected.allSatisfy(report.text.contains))
        #expect(report.markdown.contains("| compare | 2.82 | "))
    }

    @Test func whatEachCostsStandsBesideItsTarget() {
        var cheap = series("merge", exponent: 1), dear = series("save", exponent: 1)
        cheap.target = 1.5
        dear.target = 0.5
        var merging = dear
        merging.title = "both"
        // Here, too, the round in the middle counts.
        for place in merging.points.indices {
            merging.points[place].mergeSeconds = merging.points[place].seconds.map { $0 * 0.4 }
        }
        let report = report([cheap, dear, merging, series("read", exponent: 1)])
        let expected = [
            "merge: 1.00 µs for each of 100,000 rows; the target, 1.50, is met.",
            "save: 1.00 µs for each of 100,000 rows; the target, 0.500, is missed.",
            "both: 0.400 µs for each of 100,000 rows, 1.00 with the turns of the main queue; "
                + "the target, 0.500, is met.",
        ]
        #expect(report.costs == expected)
        #expect(expected.allSatisfy(report.text.contains))
        #expect(expected.allSatisfy(report.markdown.contains))
    }

    @Test func theLastStepCounts() {
        var bent = series("bent", exponent: 0)
        bent.points[1].seconds = [bent.points[0].typical * 100]
        bent.points[2].seconds = [bent.points[1].typical * 10]
        #expect(!bent.growsFaster)
        bent.points[2].seconds = [bent.points[1].typical * 100]
        #expect(bent.growsFaster)
        #expect(abs((bent.exponent ?? 0) - 2) < 0.001)
    }

    @Test func mergesOfFewerRowsAreMeasuredMoreOften() {
        var settings = GrowthSettings()
        settings.rowCounts = [10_000, 500_000, 1_000_000]
        settings.roundCount = 3
        let counts = settings.rowCounts.map(settings.mergeRoundCount)
        #expect(counts == [12, 6, 3])
    }

    @Test func whatSQLiteTakesLongerForIsNotTheLayers() {
        #expect(!series("insert", bare: 1.12, exponent: 1.15).growsFaster)
        #expect(series("insert", bare: 1.12, exponent: 1.2).growsFaster)
    }

    @Test func thePageHasALineForEachSeriesAndOneInProportion() throws {
        let page = GrowthPage(report([series("read & write", exponent: 1)]))
        #expect(page.html.contains("<svg"))
        #expect(page.html.contains("read &amp; write"))
        let figure = try #require(page.figure)
        #expect(figure.components(separatedBy: "<polyline").count == 3)
        #expect(figure.contains(">in proportion</text>"))
    }
}
