import Foundation
import MergeStack

/// The reports of a merger, by the name of the context that has saved.
final class MergeTally: Sendable {
    private struct Counts {
        var merged: [String: Int] = [:]
        var dropped = 0
        var handedOver = 0
    }

    private let counts = Guarded(Counts())

    func take(_ report: MergeReport) {
        counts.withLock { counts in
            guard report.dropReason == nil else { return counts.dropped += 1 }
            counts.merged[report.contextName ?? "", default: 0] += report.coalescedCount
            if report.isHandedOver { counts.handedOver += 1 }
        }
    }

    func mergedCount(_ name: String) -> Int { counts.value.merged[name] ?? 0 }
    /// How many were merged, by the names of their contexts.
    var mergedByContext: [String: Int] { counts.value.merged }
    var mergedCount: Int { counts.value.merged.values.reduce(0, +) }
    var droppedCount: Int { counts.value.dropped }
    var handedOverCount: Int { counts.value.handedOver }
}
