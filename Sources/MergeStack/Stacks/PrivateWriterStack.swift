import CoreData

/// A private context that writes to the store, the main context as its child, and background
/// contexts as children of the main one.
///
/// ```swift
/// let stack = try PrivateWriterStack(model: model, stores: [NSPersistentStoreDescription(url: url)])
/// stack.save(stack.mainContext) { result in
///     // On disk, or not; the main queue was not kept waiting for the disk.
/// }
/// ```
///
/// A save goes from child to parent, each context on its own queue; the completion is called when
/// it is on disk. The main context's other unsaved changes go along: edit in a ``Scratchpad``.
///
/// All contexts have the merge policy `NSMergeByPropertyObjectTrumpMergePolicy`. A child's save
/// overwrites in its parent the properties that the child changed: the last save wins. The policy
/// is for conflicts of the writer with other coordinators and processes.
///
/// > Threading: Any thread; ``mainContext`` on the main queue, ``writerContext`` on its own and for
/// > saving only: what is changed in it directly does not reach the main context. Fetches, faults
/// > and saves of a background context wait for the main queue, and those of the main context for
/// > the writer's. The main queue must not block on a thread that uses a background context, but by
/// > `performAndWait` or ``ContextStack/performBackgroundAndWait(_:name:saves:_:)``.
public final class PrivateWriterStack: ContextStack {
    /// The main context, a child of the writer, and background contexts as its children.
    public let layout: ContextLayout
    /// The context that writes to the store.
    public let writerContext: NSManagedObjectContext

    /// Makes a writer and a main context on a coordinator to which the stores have been added.
    public init(coordinator: NSPersistentStoreCoordinator) {
        writerContext = .make(.privateQueueConcurrencyType, on: coordinator, name: "writer")
        layout = ContextLayout(
            main: .make(.mainQueueConcurrencyType, childOf: writerContext, name: "main"),
            background: .belowMain
        )
    }
}
