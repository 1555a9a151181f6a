import CoreData
import LegacyFoundation
import TestSupport
import Testing

/// Observing progress.
@Suite struct ProgressTests {
    private final class Values: @unchecked Sendable {
        // @unchecked: read when the observation has ended.
        var all: [Int64] = []
        var olds: [Int64] = []
    }

    @Test func theLastValueIsToldWhenTheObservationEnds() {
        let progress = Progress(totalUnitCount: 10)
        let values = Values()
        let observation = progress.observe(\.completedUnitCount, options: [.old, .new]) {
            #expect($0 === progress)
            values.all.append($1.newValue ?? -1)
            values.olds.append($1.oldValue ?? -1)
        }
        progress.completedUnitCount = 10
        observation.invalidate()
        #expect(values.all == [10])
        #expect(values.olds == [0])
        progress.completedUnitCount = 3
        #expect(values.all == [10])
    }

    @Test func changesAreToldWhileWorkGoesOn() {
        let progress = Progress(totalUnitCount: 2)
        let isTold = DispatchSemaphore(value: 0)
        let observation = progress.observe(\.completedUnitCount, options: [.new]) { _, change in
            if change.newValue == 2 { isTold.signal() }
        }
        progress.completedUnitCount = 1
        progress.completedUnitCount = 2
        #expect(isTold.wait(timeout: .now() + patience) == .success)
        observation.invalidate()
    }
}
