import CoreData

/// One context on the main queue for everything, as a new project's template has it.
///
/// ```swift
/// let stack = try SingleContextStack(model: model, stores: [NSPersistentStoreDescription(url: url)])
/// try stack.saveAndWait(stack.mainContext)
/// ```
///
/// "Background" work runs in the main context too, on the main queue, which it keeps busy. If the
/// context has unsaved changes when such work begins, they are saved along with it; if it has none,
/// work that fails is rolled back.
///
/// The merge policy is `NSMergeByPropertyObjectTrumpMergePolicy`, for conflicts with other
/// coordinators and processes.
///
/// > Threading: Any thread; ``mainContext`` on the main queue. Blocking calls from other threads
/// > wait for the main queue, which must not wait for them.
public final class SingleContextStack: ContextStack {
    /// What the context stands on.
    public let coordinator: NSPersistentStoreCoordinator
    /// The context.
    public let mainContext: NSManagedObjectContext
    private let state = StackState()

    /// Puts a context on a coordinator that has its stores.
    public init(coordinator: NSPersistentStoreCoordinator) {
        self.coordinator = coordinator
        mainContext = .make(.mainQueueConcurrencyType, on: coordinator, name: "main")
    }

    /// Whether the stack was invalidated or torn down.
    public var isInvalidated: Bool { state.isInvalidated }

    /// The main context, whatever is asked for.
    public func makeBackgroundContext(
        _ kind: BackgroundContextKind,
        name: String?
    ) -> NSManagedObjectContext {
        mainContext
    }

    /// Ends work in the background, for good.
    ///
    /// A second call does nothing.
    public func invalidate() { state.invalidate() }

    /// Forgets the context's objects and removes the stores.
    ///
    /// > Threading: On the main queue.
    ///
    /// - Throws: What removing a store throws.
    public func tearDown() throws {
        invalidate()
        try removeStores()
    }
}
