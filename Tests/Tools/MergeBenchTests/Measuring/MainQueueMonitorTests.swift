import Foundation
import Testing
import XCTest

@testable import MergeBench

@Suite struct MainQueueReportTests {
    @Test func percentileAndLongest() {
        let report = MainQueueReport(
            stretches: (1...200).map { .init(seconds: Double($0) / 1000) }
        )
        #expect(report.count == 200)
        #expect(report.longestSeconds == 0.2)
        #expect(report.p99Seconds == 0.198)
        #expect(report.longerThanFrameCount == 184)
        #expect(abs(report.longerThanFrameSeconds - 19.964) < 1e-9)
        #expect(MainQueueReport(stretches: []).longestSeconds == 0)
        #expect(MainQueueReport(stretches: [.init(seconds: 0.5)]).p99Seconds == 0.5)
    }
}

final class MainQueueMonitorTests: XCTestCase {
    func testABusyMainQueueIsSeen() {
        let monitor = MainQueueMonitor()
        monitor.start()
        let done = expectation(description: "busy")
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) {
            let end = Date(timeIntervalSinceNow: 0.05)
            while Date() < end {}
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) { done.fulfill() }
        }
        wait(for: [done], timeout: 10)
        let report = monitor.stop()
        XCTAssertGreaterThan(report.count, 3)
        XCTAssertGreaterThan(report.longestSeconds, 0.03)
        XCTAssertGreaterThan(report.busyShare, 0)
        XCTAssertGreaterThan(report.elapsedSeconds, 0.05)
        XCTAssertTrue(
            report.stretches.allSatisfy { ($0.beginning ?? -1) >= 0 },
            "every probe says when it was posted"
        )
    }

    func testStoppedMonitorsCountNoMore() {
        let monitor = MainQueueMonitor()
        monitor.note(busySeconds: 1)
        XCTAssertEqual(monitor.stop().count, 1)
    }
}
