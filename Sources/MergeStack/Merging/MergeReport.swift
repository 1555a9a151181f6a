import Foundation

/// The outcome of one save, or of another change of the store.
public struct MergeReport: Hashable, Sendable {
    /// Why a save was not merged.
    public enum DropReason: Hashable, Sendable, CaseIterable {
        /// The main context itself saved.
        case ownSave
        /// The saving context has another coordinator, or none.
        case foreignCoordinator
        /// The saving context is a descendant of the main context, which has its changes already.
        case descendant
        /// The saving context is a child of another one, whose save is merged once it reaches the
        /// store.
        case nested
        /// The context was excluded with ``DidSaveMerger/exclude(_:)``.
        case excluded
        /// An ancestor of the main context saved what the main context had pushed into it, and
        /// nothing else.
        case echo
        /// The save changed no object.
        case emptySave
        /// The main context or its coordinator was released.
        case mainContextGone
        /// The merger was invalidated while the save waited.
        case invalidated
    }

    /// How a save was delivered to the main context.
    public enum DeliveryKind: Hashable, Sendable {
        /// In a later turn of the main queue.
        case asynchronous
        /// On the main queue, before `save()` returned there.
        case inline
        /// While the saving thread waited, or was ready to.
        case synchronous
    }

    /// What made the change.
    public enum Origin: Hashable, Sendable {
        /// A save of a context of the main context's coordinator.
        case save
        /// A save of a context on another coordinator that was added to the merger.
        case otherCoordinator
        /// A batch request, or other changes that were handed in with their object IDs.
        case objectIDs
        /// A transaction of the store's history, of another process or another coordinator.
        case history
        /// The history since the last merge was deleted, so that every object which the main
        /// context has registered was read again. Results controllers have to fetch again to see
        /// what was inserted.
        case expiredHistory
    }

    /// How many objects of an entity were changed.
    public struct ChangeCounts: Hashable, Sendable {
        /// How many were inserted.
        public internal(set) var inserted = 0
        /// How many were updated.
        public internal(set) var updated = 0
        /// How many were deleted.
        public internal(set) var deleted = 0
    }

    /// What made the change.
    public internal(set) var origin = Origin.save
    /// The `transactionAuthor` of the saving context, if it has one.
    public internal(set) var author: String?
    /// The name of the process that wrote it, for a transaction of the history.
    public internal(set) var processName: String?
    /// When it was saved by the clock of its writer, for a transaction of the history; the first one,
    /// if several were merged as one.
    public internal(set) var savedAt: Date?
    /// How many saves were merged as one, since merging was paused; otherwise 1.
    public internal(set) var coalescedCount = 1
    /// The counts of changed objects by the names of their entities.
    public internal(set) var countsByEntity: [String: ChangeCounts] = [:]
    /// The save's place among those that the merger saw, from 1, in the order of posting; that of
    /// the last one, if several were merged as one.
    public internal(set) var sequenceNumber: Int
    /// The saving context's name, if it has one.
    public internal(set) var contextName: String?
    /// How many objects the save inserted.
    public var insertedCount: Int { countsByEntity.values.reduce(0) { $0 + $1.inserted } }
    /// How many objects the save updated.
    public var updatedCount: Int { countsByEntity.values.reduce(0) { $0 + $1.updated } }
    /// How many objects the save deleted.
    public var deletedCount: Int { countsByEntity.values.reduce(0) { $0 + $1.deleted } }
    /// How many of the updated and deleted objects the main context had registered. With this
    /// package's `CoreData` those are not counted that something else had merged before.
    public internal(set) var registeredCount = 0
    /// How many objects were read because of the fault policy.
    public internal(set) var firedFaultCount = 0
    /// How many objects that the fault policy asked for are not in the store any more.
    public internal(set) var goneCount = 0
    /// Which filter dropped the save; nil if it was merged.
    public internal(set) var dropReason: DropReason?
    /// How the save was delivered.
    public internal(set) var delivery = DeliveryKind.asynchronous
    /// Whether the saving thread gave up waiting, and the merge happened later.
    public internal(set) var isHandedOver = false
    /// How long the save waited from its posting until its merge began.
    public internal(set) var waitingTime = TimeInterval(0)
    /// How long the merge took on the main queue, results controllers included.
    public internal(set) var mainQueueTime = TimeInterval(0)
    /// How many slices the merge was cut into.
    public internal(set) var sliceCount = 0
    /// In how many turns of the main queue it was merged.
    public internal(set) var turnCount = 0
    /// How long the longest slice took.
    public internal(set) var longestSliceTime = TimeInterval(0)

    /// A report on a save that was posted just now.
    init(sequenceNumber: Int) { self.sequenceNumber = sequenceNumber }

    /// A report on changes that are about to be enqueued.
    init(_ changes: ChangedObjectIDs, origin: Origin) {
        sequenceNumber = 0
        self.origin = origin
        countsByEntity = changes.countsByEntity
    }

    /// How many objects the save changed.
    public var changedCount: Int { insertedCount + updatedCount + deletedCount }
}

extension MergeReport {
    /// Becomes the report on this save and the next one, which are merged as one.
    mutating func absorb(_ later: MergeReport, changes: ChangedObjectIDs) {
        sequenceNumber = later.sequenceNumber
        coalescedCount += later.coalescedCount
        countsByEntity = changes.countsByEntity
        if contextName != later.contextName { contextName = nil }
        if author != later.author { author = nil }
        if processName != later.processName { processName = nil }
        if origin != later.origin { origin = .objectIDs }
    }
}
