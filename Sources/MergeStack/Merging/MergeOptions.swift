import CoreData
import Threads

/// How a ``DidSaveMerger`` merges.
public struct MergeOptions: Sendable {
    /// When a save is merged, seen from the thread that saved.
    public enum Delivery: Hashable, Sendable {
        /// In a later turn of the main queue; the saving thread does not wait.
        case asynchronous
        /// Before `save()` returns, as hand-rolled handlers with a synchronous hop do.
        ///
        /// On the main queue it is merged at once. Other threads wait for the main queue, but no
        /// longer than the timeout: then the save stays queued, ``MergeReport/isHandedOver`` is
        /// set, and `save()` returns. So the main queue may wait for the saving thread. Nobody
        /// waits while merging is paused.
        case synchronous(timeout: TimeInterval)

        /// Synchronous delivery with a timeout of a second.
        public static let synchronous = Delivery.synchronous(timeout: 1)
    }

    /// Which updated objects are read into the main context with the merge.
    ///
    /// Apple's merge leaves faults alone, so that a results controller misses the update of an
    /// object that is a fault in the main context, unless it is read before.
    public enum FaultPolicy: Hashable, Sendable {
        /// None: a results controller may miss updates.
        case none
        /// Those that the main context has registered as faults.
        case registered
        /// Those that a results controller may list which the merger follows, see
        /// ``DidSaveMerger/follow(_:)``: faults of its entity, and objects that the main context
        /// never had and that match its predicate now. Costs a statement for each controller that
        /// objects of its entity were updated for, and a row read for each object that matches.
        case matchingResults
        /// All of them: every results controller also sees objects that begin to match its
        /// predicate and that the main context never had. Costs a row read on the main queue for
        /// each.
        case all
    }

    /// Whether changes are merged that other processes write to the store, or other coordinators.
    public enum RemoteChanges: Hashable, Sendable {
        /// They are not merged.
        case ignored
        /// They are merged in the order of the store's history, as the coordinator announces them.
        ///
        /// The stores must be added with the options `NSPersistentHistoryTrackingKey` and
        /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. Saves of the coordinator's
        /// contexts that have no `transactionAuthor` are given one for the time of the save, by
        /// which their transactions are recognised and skipped.
        ///
        /// - Parameter ownAuthors: Authors that only contexts of this coordinator have. What they
        ///   write would be merged twice otherwise, which costs time and nothing else.
        case merged(ownAuthors: Set<String>)

        /// Merges them, where no context of the coordinator has an author of its own.
        public static let merged = RemoteChanges.merged(ownAuthors: [])
    }

    /// When a save is merged.
    ///
    /// Asynchronous by default.
    public var delivery = Delivery.asynchronous
    /// Which updated objects are read with the merge.
    ///
    /// Registered ones by default.
    public var faultPolicy = FaultPolicy.registered
    /// Whether changes of other processes are merged.
    ///
    /// Ignored by default.
    public var remoteChanges = RemoteChanges.ignored
    /// How long a turn of the main queue may take; what is left is merged in later turns.
    ///
    /// 4 milliseconds by default. A save that takes longer is cut into slices of as many objects
    /// as are likely to fit: between two of them the main context shows one part of the save, with
    /// insertions ahead of updates and deletions last. A slice is not cut. Another save is begun
    /// only within the first quarter of the budget, so that most turns take far less than all of
    /// it. Merges for somebody who waits on the main queue itself are not cut at all.
    public var turnBudget: TimeInterval = 0.004
    /// Called with each report. nil by default.
    ///
    /// For a merged save on the main queue, for a dropped one on the thread that saved.
    public var onReport: (@Sendable (MergeReport) -> Void)?
    /// What turns are timed with.
    var clock = MergeClock.system
    /// Whether a merge of the framework names updated faults in its notifications, as that of this
    /// package's `CoreData` does; Apple's leaves them alone.
    var mergeTellsOfFaults: Bool = {
        #if canImport(Darwin)
        return false
        #else
        return true
        #endif
    }()

    /// Makes options; by default asynchronous delivery, with registered faults read.
    public init(
        delivery: Delivery = .asynchronous,
        faultPolicy: FaultPolicy = .registered,
        remoteChanges: RemoteChanges = .ignored,
        onReport: (@Sendable (MergeReport) -> Void)? = nil
    ) {
        self.delivery = delivery
        self.faultPolicy = faultPolicy
        self.remoteChanges = remoteChanges
        self.onReport = onReport
    }
}
