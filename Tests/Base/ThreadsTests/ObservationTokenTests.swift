import Foundation
import Testing
import Threads

/// Observers of a notification.
@Suite struct ObservationTokenTests {
    private static let name = Notification.Name("ObservationTokenTests")

    /// It is ended once more when it is released. Foundation would take that for whoever has got its
    /// number: a merger that missed all saves from then on.
    @Test func whatIsReleasedAfterItsEndEndsNobodyElsesObservation() {
        let heard = Guarded(0)
        var ended: ObservationToken? = ObservationToken(Self.name) { _ in }
        ended?.end()
        let later = ObservationToken(Self.name) { _ in heard.withLock { $0 += 1 } }
        ended?.end()
        ended = nil
        NotificationCenter.default.post(name: Self.name, object: nil)
        #expect(heard.withLock { $0 } == 1)
        later.end()
        NotificationCenter.default.post(name: Self.name, object: nil)
        #expect(heard.withLock { $0 } == 1)
    }
}
