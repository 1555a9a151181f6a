import Testing
import Threads

@testable import CoreData

/// What a yield point asks, and what for, with a clock that is set.
@Suite struct YieldPointTests {
    private struct Log {
        var time: UInt64 = 1_000_000_000
        var isMainWaiting = true
        var questions = 0
        var yields = 0
    }
    private let log = Guarded(Log())
    /// That of the test's thread, which is the only one.
    private let last = YieldPoint.LastQuestion()

    private func point() -> YieldPoint {
        let log = log
        nonisolated(unsafe) let last = last
        return YieldPoint(
            YieldPoint.Scheduling(
                now: { log.withLock { $0.time } },
                isMainWaiting: {
                    log.withLock { log in
                        log.questions += 1
                        return log.isMainWaiting
                    }
                },
                yield: { log.withLock { $0.yields += 1 } },
                lastQuestion: { last }
            )
        )
    }

    private func set(_ change: (inout Log) -> Void) { log.withLock { change(&$0) } }
    private var counts: [Int] { log.withLock { [$0.questions, $0.yields] } }

    @Test func aShortLoopAsksNothing() {
        var point = point()
        for _ in 1..<YieldPoint.stride { point.pass() }
        #expect(counts == [0, 0])
        point.pass()
        #expect(counts == [1, 1])
    }

    @Test func aLoopAsksAgainAfterAnInterval() {
        var point = point()
        for _ in 0..<YieldPoint.stride { point.pass() }
        set { $0.time += YieldPoint.interval - 1 }
        for _ in 0..<YieldPoint.stride * 10 { point.pass() }
        #expect(counts == [1, 1])
        set { $0.time += 1 }
        for _ in 0..<YieldPoint.stride * 10 { point.pass() }
        #expect(counts == [2, 2])
    }

    /// Each fetch and each save has points of its own.
    @Test func aLoopDoesNotAskWhatTheThreadHasJustAsked() {
        for _ in 0..<10 {
            var point = point()
            for _ in 0..<YieldPoint.stride { point.pass() }
        }
        #expect(counts == [1, 1])
        set { $0.time += YieldPoint.interval }
        var point = point()
        for _ in 0..<YieldPoint.stride { point.pass() }
        #expect(counts == [2, 2])
    }

    @Test func itKeepsTheProcessorWhileMainSleeps() {
        var point = point()
        set { $0.isMainWaiting = false }
        for _ in 0..<YieldPoint.stride { point.pass() }
        #expect(counts == [1, 0])
    }

    @Test func aPassOfManyRoundsCountsAsThese() {
        var point = point()
        point.pass(count: YieldPoint.stride - 1)
        #expect(counts == [0, 0])
        point.pass()
        #expect(counts == [1, 1])
        set { $0.time += YieldPoint.interval }
        point.pass(count: YieldPoint.stride * 3)
        #expect(counts == [2, 2])
    }
}
