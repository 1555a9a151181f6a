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
/// What a child saves is in the main context at once, and reaches the disk when that saves, on the
/// main queue. So whatever the main context has unsaved is saved along: edit in a ``Scratchpad``.
///
/// All contexts have the merge policy `NSMergeByPropertyObjectTrumpMergePolicy`. A child's save
/// changes in the main context what it changed itself, the last save wins; the policy is for
/// conflicts of the main context with other coordinators and processes.
///
/// > Threading: Any thread; ``mainContext`` on the main queue. Fetches, faults and saves of a
/// > child wait for the main queue. The main queue must not wait for a thread that uses a child,
/// > but by `performAndWait` or ``ContextStack/performBackgroundAndWait(_:name:saves:_:)``.
public final class ParentChildStack: ContextStack {
    /// The main context, and background contexts below it.
    public let layout: ContextLayout

    /// Puts a main context on a coordinator that has its stores.
    public init(coordinator: NSPersistentStoreCoordinator) {
        layout = ContextLayout(
            main: .make(.mainQueueConcurrencyType, on: coordinator, name: "main"),
            background: .belowMain
        )
    }
}
