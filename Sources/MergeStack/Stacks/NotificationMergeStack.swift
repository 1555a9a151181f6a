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
public final class NotificationMergeStack: Sendable {
    /// What all contexts stand on.
    public let coordinator: NSPersistentStoreCoordinator
    /// The context for what is on screen.
    public let mainContext: NSManagedObjectContext
    /// What merges background saves into the main context.
    public let merger: DidSaveMerger
    private let isInvalidated = Guarded(false)

    /// Makes a coordinator, adds the stores and puts the contexts on it.
    ///
    /// The stores are added before it returns, whatever `shouldAddStoreAsynchronously` says.
    ///
    /// - Throws: What adding a store throws.
    public convenience init(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription],
        options: MergeOptions = MergeOptions()
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for store in stores {
            _ = try coordinator.addPersistentStore(
                ofType: store.type,
                configurationName: store.configuration,
                at: store.url,
                options: store.options
            )
        }
        self.init(coordinator: coordinator, options: options)
    }

    /// Puts a main context of its own on a coordinator that has its stores.
    ///
    /// > Threading: The main context may be made on any thread.
    public init(coordinator: NSPersistentStoreCoordinator, options: MergeOptions = MergeOptions()) {
        self.coordinator = coordinator
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        mainContext.persistentStoreCoordinator = coordinator
        mainContext.mergePolicy = Self.makeMergePolicy()
        mainContext.name = "main"
        merger = DidSaveMerger(into: mainContext, options: options)
    }

    /// Uses the view context of a container that has loaded its stores as main context.
    ///
    /// The container's `automaticallyMergesChangesFromParent` must be off, which is the default;
    /// every save would be merged twice.
    ///
    /// > Threading: On the main queue.
    public init(container: NSPersistentContainer, options: MergeOptions = MergeOptions()) {
        precondition(
            !container.viewContext.automaticallyMergesChangesFromParent,
            "NotificationMergeStack: turn automaticallyMergesChangesFromParent of the view "
                + "context off; the stack merges."
        )
        coordinator = container.persistentStoreCoordinator
        mainContext = container.viewContext
        mainContext.mergePolicy = Self.makeMergePolicy()
        merger = DidSaveMerger(into: mainContext, options: options)
    }

    private static func makeMergePolicy() -> NSMergePolicy {
        NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    /// Makes a context for some work in the background, to be thrown away after its save.
    ///
    /// - Parameters:
    ///   - kind: A context of confinement type belongs to the calling thread.
    ///   - name: Stands in merge reports.
    /// - Returns: A context on the stack's coordinator, without objects.
    public func makeBackgroundContext(
        _ kind: BackgroundContextKind = .privateQueue,
        name: String? = nil
    ) -> NSManagedObjectContext {
        let type: NSManagedObjectContextConcurrencyType
        switch kind {
        case .privateQueue:
            type = .privateQueueConcurrencyType
        case .confinement:
            // By its raw value, since the case is deprecated; confinement is what is asked for.
            guard let confinement = NSManagedObjectContextConcurrencyType(rawValue: 0) else {
                preconditionFailure("This Core Data has no confinement contexts.")
            }
            type = confinement
        }
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = Self.makeMergePolicy()
        context.name = name
        return context
    }

    /// Stops merging, for good; contexts can still save.
    ///
    /// A second call does nothing.
    public func invalidate() {
        isInvalidated.withLock { $0 = true }
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
        mainContext.reset()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Throws if the stack was invalidated.
    func checkIsValid() throws {
        guard !isInvalidated.withLock({ $0 }) else {
            throw MergeStackError(
                .invalidated,
                "The stack was invalidated; make a new one for further work."
            )
        }
    }
}
