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
/// work that fails is rolled back. A context of confinement type, which belongs to the thread that
/// asks for it, is a child of the main context: each fetch and each save waits for the main queue.
///
/// The merge policy is `NSMergeByPropertyObjectTrumpMergePolicy`, for conflicts with other
/// coordinators and processes.
///
/// > Threading: Any thread; ``mainContext`` on the main queue. Blocking calls from other threads
/// > wait for the main queue, which must not wait for them.
public final class SingleContextStack: ContextStack {
    /// The main context, which does all work.
    public let layout: ContextLayout

    /// Makes a context on a coordinator to which the stores have been added.
    public init(coordinator: NSPersistentStoreCoordinator) {
        layout = ContextLayout(
            main: .make(.mainQueueConcurrencyType, on: coordinator, name: "main"),
            background: .main
        )
    }
}
