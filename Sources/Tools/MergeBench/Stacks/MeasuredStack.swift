import CoreData

/// What a layout of contexts must be able to do to be measured: conform to it to measure your own.
///
/// ```swift
/// final class OurStack: MeasuredStack {
///     let mainContext: NSManagedObjectContext
///     func performInBackground(
///         _ work: @Sendable (NSManagedObjectContext) throws -> Void
///     ) throws {
///         let context = makeContext()
///         try context.performAndWait {
///             try work(context)
///             try context.save()
///         }
///     }
///     // …
/// }
/// ```
public protocol MeasuredStack: AnyObject, Sendable {
    /// The context that a results controller lists objects of, on the main queue.
    var mainContext: NSManagedObjectContext { get }

    /// Does work on a context for the background, and saves it until it is in the store.
    ///
    /// > Threading: Called on several threads at once, never on the main queue, which is free.
    ///
    /// - Parameter work: To be called once, on the queue or thread of its context.
    /// - Throws: What `work` or a save throws.
    func performInBackground(_ work: @Sendable (NSManagedObjectContext) throws -> Void) throws

    /// Saves what was edited in the main context until it is in the store.
    ///
    /// > Threading: Called on the main queue.
    ///
    /// - Parameter completion: To be called once, on any thread, when it is in the store or an
    ///   error has ended it.
    func saveMain(completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Waits until the main context shows every save that has returned.
    ///
    /// > Threading: Called off the main queue.
    ///
    /// - Throws: If it takes too long.
    func waitUntilShown() throws

    /// What was merged so far; nil where nothing is merged by notification.
    var mergeCounts: MergeCounts? { get }

    /// Closes the stores.
    ///
    /// > Threading: Called on the main queue.
    ///
    /// - Throws: What removing a store throws.
    func tearDown() throws
}

/// What a merger has done.
public struct MergeCounts: Codable, Hashable, Sendable {
    /// How many saves were merged into the main context.
    public var mergeCount: Int
    /// How many inserted, updated and deleted objects these saves held.
    public var objectCount: Int
    /// How many faults of the main context were fired for it.
    public var faultCount: Int
    /// How long the merges took on the main queue, in seconds; 0 if nobody has timed them.
    public var mainQueueSeconds: Double

    /// Counts.
    public init(
        mergeCount: Int,
        objectCount: Int,
        faultCount: Int,
        mainQueueSeconds: Double = 0
    ) {
        self.mergeCount = mergeCount
        self.objectCount = objectCount
        self.faultCount = faultCount
        self.mainQueueSeconds = mainQueueSeconds
    }
}
