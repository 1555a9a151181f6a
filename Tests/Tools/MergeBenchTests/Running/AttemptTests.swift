import Foundation
import Testing
import Threads

@testable import MergeBench

/// Measurements that are made again where the machine's host was busy, with a host that is played.
@Suite struct AttemptTests {
    /// What is left of a session of one measurement, that of bare SQLite.
    ///
    /// - Parameters:
    ///   - shares: What the host takes of the processors, in percent, from attempt to attempt.
    ///   - checksums: What the attempts end with.
    private func result(
        attempts: Int,
        shares: [Double],
        checksums: [String] = ["same", "same", "same"]
    ) throws -> RunResult {
        var settings = BenchmarkSettings()
        settings.rowCounts = [100]
        settings.roundCount = 1
        settings.workloads = [.bulkImport]
        settings.attemptCount = attempts
        var session = BenchmarkSession(settings: settings, layouts: [])
        let time = Guarded(ProcessorTime(whole: 0, busy: 0, own: 0, stolen: 0))
        let count = Guarded(0)
        session.processorTime = { time.withLock { $0 } }
        session.measure = { specification in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            time.withLock {
                $0.whole += 100
                $0.stolen += shares[number]
            }
            return RunResult(
                layout: specification.layout,
                workload: specification.workload,
                sizeRowCount: specification.rowCount,
                round: specification.round,
                writtenRowCount: 100,
                saveCount: number,
                savedSeconds: 1,
                peakByteCount: 1,
                peakRiseByteCount: 1,
                listedRowCount: 1,
                storedRowCount: 100,
                checksum: checksums[number]
            )
        }
        let results = try session.run().results
        #expect(results.count == 1)
        return results[0]
    }

    @Test func aMeasurementIsMadeAgainUntilTheHostLeavesTheMachineAlone() throws {
        let result = try result(attempts: 9, shares: [5, 3, 1])
        #expect(result.saveCount == 2)
        #expect(result.attemptCount == 3)
        #expect(result.hostShare == 0.01)
    }

    @Test func theOneThatItTookLeastOfCountsWhereThereIsNone() throws {
        let result = try result(attempts: 3, shares: [5, 3, 4])
        #expect(result.saveCount == 1)
        #expect(result.attemptCount == 3)
        #expect(result.hostShare == 0.03)
        #expect(result.isDisturbed)
    }

    @Test func aQuietMachineIsMeasuredOnce() throws {
        let result = try result(attempts: 9, shares: [1])
        #expect(result.attemptCount == 1)
        #expect(!result.isDisturbed)
    }

    @Test func nothingIsMadeAgainUnlessThatIsAskedFor() throws {
        #expect(try result(attempts: 1, shares: [50]).hostShare == 0.5)
    }

    /// An attempt that is left out does not hide what it has lost.
    @Test func attemptsThatEndOtherwiseEndTheSession() throws {
        let error = #expect(throws: BenchmarkError.self) {
            try result(attempts: 3, shares: [5, 1], checksums: ["all", "lost"])
        }
        #expect(
            error?.errorDescription == "Two attempts of bare at import ended with different rows."
        )
    }
}
