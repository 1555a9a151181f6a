import Foundation

/// Totals over a merger's reports.
public struct MergeStatistics: Hashable, Sendable {
    /// How many saves were seen, dropped ones included.
    public internal(set) var saveCount = 0
    /// How many merges there were; saves that were merged as one count once.
    public internal(set) var mergeCount = 0
    /// How many saves each filter dropped.
    public internal(set) var droppedCounts: [MergeReport.DropReason: Int] = [:]
    /// How many inserted, updated and deleted objects were merged.
    public internal(set) var mergedObjectCount = 0
    /// How many of the updated and deleted objects the main context had registered.
    public internal(set) var registeredCount = 0
    /// How many objects were read because of the fault policy.
    public internal(set) var firedFaultCount = 0
    /// How many synchronous deliveries nobody waited for to the end.
    public internal(set) var handedOverCount = 0
    /// How long all merges took on the main queue.
    public internal(set) var mainQueueTime = TimeInterval(0)
    /// How long the longest merge took on the main queue, in however many turns.
    public internal(set) var longestMainQueueTime = TimeInterval(0)
    /// How many turns of the main queue merged something.
    public internal(set) var turnCount = 0
    /// How long the longest of these turns took.
    public internal(set) var longestTurnTime = TimeInterval(0)

    /// Adds a report.
    mutating func add(_ report: MergeReport) {
        saveCount += report.coalescedCount
        if let reason = report.dropReason {
            droppedCounts[reason, default: 0] += report.coalescedCount
            return
        }
        mergeCount += 1
        mergedObjectCount += report.changedCount
        registeredCount += report.registeredCount
        firedFaultCount += report.firedFaultCount
        if report.isHandedOver { handedOverCount += 1 }
        mainQueueTime += report.mainQueueTime
        longestMainQueueTime = max(longestMainQueueTime, report.mainQueueTime)
    }

    /// Adds a turn of the main queue.
    mutating func addTurn(_ duration: TimeInterval) {
        turnCount += 1
        longestTurnTime = max(longestTurnTime, duration)
    }
}
