import Foundation

/// What an asynchronous fetch gives its completion block.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
    (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void

/// Fetches in the background, and calls a block on the context's queue when it has done so.
///
/// > Threading: Use one request on one thread at a time.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    /// What to fetch.
    open private(set) var fetchRequest: NSFetchRequest<ResultType>
    /// Called on the context's queue.
    open private(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// The number of objects that the progress is measured by; 0 if unknown.
    open var estimatedResultCount = 0

    /// Makes a request without an entity; use the other one.
    public required init() {
        fetchRequest = NSFetchRequest()
        super.init()
    }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - request: What to fetch.
    ///   - blk: Called on the context's queue when the fetch is done, has failed or was cancelled.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }

    /// A request with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copied = super.copy(with: zone)
        guard let copy = copied as? NSAsynchronousFetchRequest<ResultType> else { return copied }
        copy.fetchRequest = fetchRequest
        copy.completionBlock = completionBlock
        copy.estimatedResultCount = estimatedResultCount
        return copy
    }
}

/// What a request gives that goes on after it was executed.
///
/// > Threading: Confined to the queue of its context, but for ``cancel()`` and ``progress``.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that executed the request.
    open private(set) var managedObjectContext: NSManagedObjectContext
    /// Why there is no result; nil while the request is under way.
    open internal(set) var operationError: (any Error)?
    /// How far the request is. Cancelling it cancels the request.
    open private(set) var progress: Progress?
    /// Ends the reading at once; the progress tells its handler some time later.
    var cancellation: FetchCancellation?

    init(_ context: NSManagedObjectContext, _ progress: Progress?) {
        managedObjectContext = context
        self.progress = progress
        super.init()
    }

    /// Ends the request; the completion block gets `NSUserCancelledError`.
    open func cancel() {
        cancellation?.cancel()
        progress?.cancel()
    }
}

/// What an asynchronous fetch gives: nothing at first, the objects in the end.
///
/// > Threading: See the superclass.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>:
    NSPersistentStoreAsynchronousResult
{
    /// The request.
    open private(set) var fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// The objects, IDs, numbers or dictionaries; nil while the request is under way, and if it
    /// failed or was cancelled.
    open internal(set) var finalResult: [ResultType]?

    init(
        _ request: NSAsynchronousFetchRequest<ResultType>,
        _ context: NSManagedObjectContext,
        _ progress: Progress?
    ) {
        fetchRequest = request
        super.init(context, progress)
        // Casts of generic classes are exact in Swift: with this, one to the result of any type
        // succeeds at run time.
        RequestClasses.link(
            NSAsynchronousFetchResult<ResultType>.self,
            under: NSAsynchronousFetchResult<any NSFetchRequestResult>.self
        )
    }
}
