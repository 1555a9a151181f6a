import Foundation

/// What became of one save.
public struct MergeReport: Hashable, Sendable {
    /// Why a save was not merged.
    public enum DropReason: Hashable, Sendable, CaseIterable {
        /// The main context itself saved.
        case ownSave
        /// The saving context has another coordinator, or none.
        case foreignCoordinator
        /// The saving context is a child of the main context, or further below: its changes are in
        /// the main context already.
        case descendant
        /// The saving context is a child of another one, whose save is merged when it is in the
        /// store.
        case nested
        /// The saving context is below the main one, and saved nothing but what the main context
        /// gave it.
        case echo
        /// The save changed no object.
        case emptySave
        /// The main context is gone.
        case mainContextGone
        /// The merger was invalidated while the save waited.
        case invalidated
    }

    /// How a merge came about.
    public enum DeliveryKind: Hashable, Sendable {
        /// In a later turn of the main queue.
        case asynchronous
        /// On the main queue, before `save()` returned there.
        case inline
        /// While the saving thread waited, or was ready to.
        case synchronous
    }

    /// The save's place among those that the merger saw, from 1, in the order of posting.
    public internal(set) var sequenceNumber: Int
    /// The saving context's name, if it has one.
    public internal(set) var contextName: String?
    /// How many objects the save inserted.
    public internal(set) var insertedCount = 0
    /// How many objects the save updated.
    public internal(set) var updatedCount = 0
    /// How many objects the save deleted.
    public internal(set) var deletedCount = 0
    /// How many of the updated and deleted objects the main context had registered.
    public internal(set) var registeredCount = 0
    /// How many objects were read because of the fault policy.
    public internal(set) var firedFaultCount = 0
    /// How many objects the fault policy asked for whose rows are gone.
    public internal(set) var goneCount = 0
    /// Which filter dropped the save; nil if it was merged.
    public internal(set) var dropReason: DropReason?
    /// How the save was delivered.
    public internal(set) var delivery = DeliveryKind.asynchronous
    /// Whether the saving thread gave up waiting, and the merge happened later.
    public internal(set) var isHandedOver = false
    /// How long the save waited from its posting until its merge began.
    public internal(set) var waitingTime = Duration.zero
    /// How long the merge took on the main queue, results controllers included.
    public internal(set) var mainQueueTime = Duration.zero

    /// A report on a save that was just posted.
    init(sequenceNumber: Int) { self.sequenceNumber = sequenceNumber }

    /// How many objects the save changed.
    public var changedCount: Int { insertedCount + updatedCount + deletedCount }
}

/// The sums over a merger's reports.
public struct MergeStatistics: Hashable, Sendable {
    /// How many saves were seen, dropped ones included.
    public internal(set) var saveCount = 0
    /// How many saves were merged.
    public internal(set) var mergeCount = 0
    /// How many saves each filter dropped.
    public internal(set) var droppedCounts: [MergeReport.DropReason: Int] = [:]
    /// How many inserted, updated and deleted objects were merged.
    public internal(set) var mergedObjectCount = 0
    /// How many of the updated and deleted objects the main context had registered.
    public internal(set) var registeredCount = 0
    /// How many objects were read because of the fault policy.
    public internal(set) var firedFaultCount = 0
    /// How many synchronous deliveries were handed over.
    public internal(set) var handedOverCount = 0
    /// How long all merges took on the main queue.
    public internal(set) var mainQueueTime = Duration.zero
    /// How long the longest merge took on the main queue.
    public internal(set) var longestMainQueueTime = Duration.zero

    /// Adds a report.
    mutating func add(_ report: MergeReport) {
        saveCount += 1
        if let reason = report.dropReason {
            droppedCounts[reason, default: 0] += 1
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
}
