import CoreData

/// A main context on the coordinator, and background contexts that are its children.
///
/// ```swift
/// let stack = try ParentChildStack(model: model, stores: [NSPersistentStoreDescription(url: url)])
/// try await stack.performBackground { context in
///     // … insert, change, delete …
/// }
/// ```
///
/// A child's save goes into the main context at once, and reaches the disk when the main context
/// saves, on the main queue. Its other unsaved changes go along: edit in a ``Scratchpad``.
///
/// All contexts have the merge policy `NSMergeByPropertyObjectTrumpMergePolicy`. A child's save
/// overwrites in the main context the properties that the child changed: the last save wins. The
/// policy is for conflicts of the main context with other coordinators and processes.
///
/// > Threading: Any thread; ``mainContext`` on the main queue. Fetches, faults and saves of a
/// > child wait for the main queue. The main queue must not block on a thread that uses a child,
/// > but by `performAndWait` or ``ContextStack/performBackgroundAndWait(_:name:saves:_:)``.
public final class ParentChildStack: ContextStack {
    /// The main context, and background contexts as its children.
    public let layout: ContextLayout

    /// Makes a main context on a coordinator to which the stores have been added.
    public init(coordinator: NSPersistentStoreCoordinator) {
        layout = ContextLayout(
            main: .make(.mainQueueConcurrencyType, on: coordinator, name: "main"),
            background: .belowMain
        )
    }
}
