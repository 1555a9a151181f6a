import CoreData
import XCTest

@testable import MergeBench

/// Runs of a few rows from end to end; the main queue must be served, so not Swift Testing.
final class BenchmarkRunTests: XCTestCase {
    func testEveryLayoutEndsWithTheRowsOfBareSQLite() throws {
        var settings = BenchmarkSettings()
        settings.rowCounts = [1_500]
        settings.roundCount = 1
        settings.workload.batchSize = 100
        settings.workload.listedCategoryCount = 10
        let report = try offMain { [settings] in
            try BenchmarkSession(settings: settings, layouts: StackLayout.all).run()
        }
        XCTAssertEqual(report.wrongResults, [])
        XCTAssertEqual(
            report.results.count,
            Workload.allCases.count * (StackLayout.all.count + 1)
        )
        for result in report.results {
            let name = "\(result.layout) at \(result.workload)"
            XCTAssertGreaterThan(result.listedRowCount, 10, name)
            XCTAssertGreaterThan(result.peakByteCount, 1 << 20, name)
            guard result.layout != StackLayout.bareName else { continue }
            XCTAssertGreaterThan(result.mainQueue?.elapsedSeconds ?? 0, 0, name)
            XCTAssertGreaterThan(result.listChangeCount ?? 0, 0, name)
            XCTAssertGreaterThan(result.shownSeconds ?? 0, 0, name)
        }
        // What the plans say for 1,500 rows.
        let stored = Dictionary(
            grouping: report.results,
            by: \.workload
        ).mapValues { Set($0.map(\.storedRowCount)) }
        XCTAssertEqual(stored[.bulkImport], [1_500])
        XCTAssertEqual(stored[.smallSaves], [150])
        XCTAssertEqual(stored[.editing], [1_650])
        XCTAssertEqual(stored[.changing], [135])
    }

    func testAStackThatLosesASaveIsFound() throws {
        let losing = StackLayout(name: "losing", title: "Losing", summary: "Forgets a save.") {
            LosingStack(try StackLayout.notificationMerge.make($0, $1))
        }
        var settings = BenchmarkSettings()
        settings.rowCounts = [1_000]
        settings.roundCount = 1
        settings.workloads = [.bulkImport]
        settings.workload.batchSize = 100
        let report = try offMain { [settings] in
            try BenchmarkSession(settings: settings, layouts: [losing]).run()
        }
        XCTAssertEqual(report.wrongResults.map(\.layout), ["losing"])
    }

    func testAnErrorOfAWorkerEndsTheSession() throws {
        let failing = StackLayout(name: "failing", title: "Failing", summary: "") { _, _ in
            throw BenchmarkError("Nothing to be had.")
        }
        XCTAssertThrowsError(
            try offMain {
                try BenchmarkSession(settings: BenchmarkSettings(), layouts: [failing]).run()
            }
        ) { XCTAssertEqual($0.localizedDescription, "Nothing to be had.") }
    }

    func testTheLayerReadsAndWritesWhatBareSQLiteDoes() throws {
        let report = try LayerSession(rowCount: 400, roundCount: 2).run()
        XCTAssertEqual(
            report.lines.map(\.letter),
            [
                "a", "a+", "b", "b+", "c", "d", "d+", "d2", "d2+", "e", "e+", "f", "f+", "g", "g+",
                "h", "h+", "i", "i+", "o",
            ]
        )
        XCTAssertTrue(
            report.lines.allSatisfy {
                $0.typed.rounds.count == 2 && $0.typedRatio > 0 && $0.moduleRatio > 0
                    && $0.keyedRatio > 0
            }
        )
        // Each of 20 queries is a part, and what comes behind the last.
        let queries = report.lines.filter { ["e", "e+", "h", "h+"].contains($0.letter) }
        for side in queries.flatMap({ [$0.bare, $0.typed, $0.module, $0.keyed] }) {
            XCTAssertEqual(side.rounds.map(\.count), [21, 21])
        }
        // Each line that says what is unequal has one beside it without that.
        let unequal = report.lines.filter { $0.inequality != nil }.map { $0.letter + "+" }
        XCTAssertEqual(unequal, report.lines.map(\.letter).filter { $0.hasSuffix("+") })
        XCTAssertTrue(report.text.contains("d  bare SQLite reads all in one transaction"))
        XCTAssertTrue(report.text.contains("a  insert, one save"))
        XCTAssertTrue(
            report.markdown.contains("\n| d+ bare SQLite with a transaction for each row |")
        )
        XCTAssertFalse(try report.json().isEmpty)
    }

    /// Runs something on a thread while the main queue is served.
    private func offMain<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let done = expectation(description: "done")
        nonisolated(unsafe) var result: Result<Value, any Error>?
        Thread.detachNewThread {
            let outcome = Result { try body() }
            DispatchQueue.main.async {
                result = outcome
                done.fulfill()
            }
        }
        wait(for: [done], timeout: 600)
        return try XCTUnwrap(result).get()
    }
}

/// A stack that does not do one of the things that it was asked for.
private final class LosingStack: MeasuredStack {
    private let stack: any MeasuredStack
    private let lock = NSLock()
    nonisolated(unsafe) private var callCount = 0  // Under `lock`.

    init(_ stack: any MeasuredStack) { self.stack = stack }

    var mainContext: NSManagedObjectContext { stack.mainContext }
    var mergeCounts: MergeCounts? { stack.mergeCounts }

    func performInBackground(_ work: @Sendable (NSManagedObjectContext) throws -> Void) throws {
        let isLost = lock.withLock {
            callCount += 1
            return callCount == 3
        }
        if !isLost { try stack.performInBackground(work) }
    }

    func saveMain(completion: @escaping @Sendable ((any Error)?) -> Void) {
        stack.saveMain(completion: completion)
    }

    func waitUntilShown() throws { try stack.waitUntilShown() }
    func tearDown() throws { try stack.tearDown() }
}
