import CoreData
import Dispatch

/// One main context and throwaway background contexts that share a coordinator; what one of them
/// saves is merged into the main context.
///
/// ```swift
/// let stack = try NotificationMergeStack(model: model, stores: [NSPersistentStoreDescription(url: url)])
/// let count = try await stack.performBackground { context in
///     // … insert, change, delete …
/// }
/// // Saved, and the main context shows it.
/// ```
///
/// All contexts have the merge policy `NSMergeByPropertyObjectTrumpMergePolicy`: on a conflict the
/// properties that a context changed win over the store, all others are taken from the store. For
/// the main context this gives the same whether it saves before or after a background save was
/// merged into it, since a merge keeps its changes on top as well.
///
/// > Threading: Any thread; ``mainContext`` on the main queue.
public final class NotificationMergeStack: ContextStack {
    /// What all contexts stand on.
    public let coordinator: NSPersistentStoreCoordinator
    /// The context for what is on screen.
    public let mainContext: NSManagedObjectContext
    /// What merges background saves into the main context.
    public let merger: DidSaveMerger
    private let state = StackState()

    /// Makes a coordinator, adds the stores and puts the contexts on it.
    ///
    /// The stores are added before it returns, whatever `shouldAddStoreAsynchronously` says. Those
    /// of an earlier model are migrated, unless their descriptions say otherwise.
    ///
    /// - Throws: What adding a store throws; ``MergeStackError`` with code `noMapping` if its model
    ///   is another one and no mapping from it can be inferred, with `entitiesDropped` if objects
    ///   would go and the description does not allow it.
    public convenience init(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription],
        options: MergeOptions
    ) throws {
        let coordinator = try NSPersistentStoreCoordinator(model: model, stores: stores)
        self.init(coordinator: coordinator, options: options)
    }

    /// Puts a main context of its own on a coordinator that has its stores, with the usual
    /// options.
    public convenience init(coordinator: NSPersistentStoreCoordinator) {
        self.init(coordinator: coordinator, options: MergeOptions())
    }

    /// Puts a main context of its own on a coordinator that has its stores.
    ///
    /// > Threading: The main context may be made on any thread.
    public init(coordinator: NSPersistentStoreCoordinator, options: MergeOptions) {
        self.coordinator = coordinator
        mainContext = .make(.mainQueueConcurrencyType, on: coordinator, name: "main")
        merger = DidSaveMerger(into: mainContext, options: options)
    }

    /// Uses the view context of a container that has loaded its stores as main context.
    ///
    /// The container's `automaticallyMergesChangesFromParent` must be off, which is the default;
    /// every save would be merged twice.
    ///
    /// > Threading: On the main queue.
    public init(container: NSPersistentContainer, options: MergeOptions = MergeOptions()) {
        if container.viewContext.automaticallyMergesChangesFromParent {
            fatalError(
                "NotificationMergeStack: turn automaticallyMergesChangesFromParent of the view "
                    + "context off; the stack merges."
            )
        }
        coordinator = container.persistentStoreCoordinator
        mainContext = container.viewContext
        mainContext.mergePolicy = NSMergePolicy.makeForStacks()
        merger = DidSaveMerger(into: mainContext, options: options)
    }

    /// Whether the stack was invalidated or torn down.
    public var isInvalidated: Bool { state.isInvalidated }

    /// Makes a context for some work in the background, to be thrown away after its save.
    ///
    /// - Parameters:
    ///   - kind: A context of confinement type belongs to the calling thread.
    ///   - name: Stands in merge reports.
    /// - Returns: A context on the stack's coordinator, without objects.
    public func makeBackgroundContext(
        _ kind: BackgroundContextKind,
        name: String?
    ) -> NSManagedObjectContext {
        .make(kind.concurrencyType, on: coordinator, name: name)
    }

    /// Calls back on the main queue when the main context shows every save that ended before now.
    public func settled(completion: @escaping @Sendable () -> Void) {
        merger.settled(completion: completion)
    }

    /// Waits until the main context shows every save that ended before now.
    ///
    /// See ``DidSaveMerger/waitUntilSettled(timeout:)``.
    @discardableResult public func waitUntilSettled(timeout: Duration) -> Bool {
        merger.waitUntilSettled(timeout: timeout)
    }

    /// Stops merging, for good; contexts can still save.
    ///
    /// A second call does nothing.
    public func invalidate() {
        state.invalidate()
        merger.invalidate()
    }

    /// Stops merging, forgets the main context's objects and removes the stores.
    ///
    /// No context of the stack can be used after it.
    ///
    /// > Threading: On the main queue.
    ///
    /// - Throws: What removing a store throws.
    public func tearDown() throws {
        invalidate()
        try removeStores()
    }
}
