import Dispatch
import Foundation

/// The clock that merges, imports and exports are timed with; tests have one that they set.
package struct MergeClock: Sendable {
    /// The seconds that have gone by since some moment.
    package let now: @Sendable () -> TimeInterval

    package init(_ now: @escaping @Sendable () -> TimeInterval) { self.now = now }

    /// The system's clock, which stands still while the system sleeps.
    package static let system = MergeClock {
        Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    }
}
