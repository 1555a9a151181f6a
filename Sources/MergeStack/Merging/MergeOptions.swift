import CoreData

/// How a ``DidSaveMerger`` merges.
public struct MergeOptions: Sendable {
    /// When a save is merged, seen from the thread that saved.
    public enum Delivery: Hashable, Sendable {
        /// In a later turn of the main queue; the saving thread does not wait.
        case asynchronous
        /// Before `save()` returns, as hand-rolled handlers with a synchronous hop do.
        ///
        /// On the main queue it is merged at once. Other threads wait for the main queue, but no
        /// longer than the timeout: then the save stays in line, ``MergeReport/isHandedOver`` is
        /// set, and `save()` returns. So the main queue may wait for the saving thread.
        case synchronous(timeout: Duration)

        /// Synchronous delivery with a timeout of a second.
        public static let synchronous = Delivery.synchronous(timeout: .seconds(1))
    }

    /// Which updated objects are read into the main context before the merge.
    ///
    /// Apple's merge leaves faults alone, so that a results controller misses the update of an
    /// object that is a fault in the main context.
    public enum FaultPolicy: Hashable, Sendable {
        /// None: a results controller may miss updates.
        case none
        /// Those that the main context has registered as faults.
        case registered
        /// All of them: a results controller also sees objects that begin to match its predicate
        /// and that the main context never had. Costs a row read on the main queue for each.
        case all
    }

    /// When a save is merged.
    ///
    /// Asynchronous by default.
    public var delivery = Delivery.asynchronous
    /// Which updated objects are read before the merge.
    ///
    /// Registered ones by default.
    public var faultPolicy = FaultPolicy.registered
    /// After how long a turn of the main queue is ended, with the next merges in a later turn.
    ///
    /// A merge is not cut; so a turn can take this long and the last merge's time on top.
    public var turnBudget = Duration.milliseconds(4)
    /// Called with each report. nil by default.
    ///
    /// For a merged save on the main queue, for a dropped one on the thread that saved.
    public var onReport: (@Sendable (MergeReport) -> Void)?

    /// Asynchronous delivery, registered faults.
    public init(
        delivery: Delivery = .asynchronous,
        faultPolicy: FaultPolicy = .registered,
        onReport: (@Sendable (MergeReport) -> Void)? = nil
    ) {
        self.delivery = delivery
        self.faultPolicy = faultPolicy
        self.onReport = onReport
    }
}
