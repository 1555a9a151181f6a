import CoreData
import Dispatch
import Threads

/// The contexts of a stack, and what all stacks do alike with them.
///
/// A topology is three things: the main context, the parents through which it saves to the store,
/// and where the contexts for background work are attached. All else follows from them: how far a
/// save goes, what the main context has to wait for until it shows every save, what a tear-down
/// resets. So a stack of your own states these three, and nothing else:
///
/// ```swift
/// final class OurStack: ContextStack {
///     let layout: ContextLayout
///
///     init(coordinator: NSPersistentStoreCoordinator) {
///         let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
///         main.persistentStoreCoordinator = coordinator
///         layout = ContextLayout(main: main, background: .besideMain(DidSaveMerger(into: main)))
///     }
/// }
/// ```
///
/// > Threading: Any thread, unless a member says otherwise.
public final class ContextLayout: Sendable {
    /// Where the contexts for background work are attached, and so how their saves reach the main
    /// context.
    public enum Background: Sendable {
        /// The main context does the work itself, on the main queue. A context of confinement type
        /// is a child of it, since a thread of its own can't use the main context.
        case main
        /// They are children of the main context, which has what they save at once.
        case belowMain
        /// They are siblings of the main context: on its coordinator or, if it has a parent,
        /// further children of that. The merger merges their saves into the main context.
        case besideMain(DidSaveMerger)
    }

    let coordinator: NSPersistentStoreCoordinator
    let main: NSManagedObjectContext
    private let background: Background
    private let onInvalidation: @Sendable () -> Void
    private let invalidated = Guarded(false)
    private let errorHandler = Guarded(
        ErrorHandler { error in
            NSLog(
                "%@",
                "MergeStack: a save without a completion has failed; set onUnhandledError of the "
                    + "stack to be told. \(error)"
            )
        }
    )

    /// Describes the contexts of a stack.
    ///
    /// The main context and its parents get the merge policy that all contexts of stacks have,
    /// `NSMergeByPropertyObjectTrumpMergePolicy`.
    ///
    /// - Parameters:
    ///   - main: The context for what is on screen, of the main queue; a ``StackContext`` if it has a
    ///     parent. It must have its coordinator or parent already, and must not merge by itself
    ///     what `background` has merged: `automaticallyMergesChangesFromParent` must be off.
    ///   - background: Where contexts for background work are attached. A merger must be one that
    ///     merges into `main`, and asynchronously if that has a parent.
    ///   - onInvalidation: Called when the stack is invalidated, perhaps more than once.
    public init(
        main: NSManagedObjectContext,
        background: Background,
        onInvalidation: @escaping @Sendable () -> Void = {}
    ) {
        guard let coordinator = main.persistentStoreCoordinator else {
            fatalError("ContextLayout: the main context has no coordinator; set it before.")
        }
        if case .besideMain(let merger) = background {
            guard merger.filter.mainContext === main else {
                fatalError(
                    "ContextLayout: the merger merges into another context; make one with this "
                        + "main context."
                )
            }
            guard !main.automaticallyMergesChangesFromParent else {
                fatalError(
                    "ContextLayout: turn automaticallyMergesChangesFromParent of the main context "
                        + "off; the stack merges."
                )
            }
            // A merge reads through the parent, whose queue the saving thread would hold meanwhile.
            guard main.parent == nil || merger.delivery == .asynchronous else {
                fatalError(
                    "ContextLayout: deliver asynchronously to a main context that has a parent; "
                        + "set the delivery of the merger's options."
                )
            }
        }
        guard main.parent == nil || main is StackContext else {
            fatalError(
                "ContextLayout: a main context that has a parent must be a StackContext, so that "
                    + "its save() reaches the store."
            )
        }
        self.coordinator = coordinator
        self.main = main
        self.background = background
        self.onInvalidation = onInvalidation
        for context in [main] + parents { context.mergePolicy = NSMergePolicy.makeForStacks() }
    }

    /// What merges saves into the main context; nil where every save passes through it anyway.
    public var merger: DidSaveMerger? {
        if case .besideMain(let merger) = background { merger } else { nil }
    }

    /// The contexts through which the main context saves to the store, its parent first.
    private var parents: [NSManagedObjectContext] {
        Array(sequence(first: main, next: \.parent).dropFirst())
    }

    func makeBackgroundContext(
        _ kind: BackgroundContextKind,
        name: String?
    ) -> NSManagedObjectContext {
        switch background {
        case .main:
            // A thread of its own can't use main; a child of main waits for the main queue instead.
            guard kind == .confinement else { return main }
            return .make(kind.concurrencyType, childOf: main, name: name)
        case .belowMain:
            return .make(kind.concurrencyType, childOf: main, name: name)
        case .besideMain:
            guard let parent = main.parent else {
                return .make(kind.concurrencyType, on: coordinator, name: name)
            }
            return .make(kind.concurrencyType, childOf: parent, name: name)
        }
    }

    // MARK: Errors

    var onUnhandledError: @Sendable (any Error) -> Void {
        get { errorHandler.withLock { $0 }.handle }
        set { errorHandler.withLock { $0.handle = newValue } }
    }

    // MARK: Barrier

    func settled(completion: @escaping @Sendable () -> Void) {
        if let merger {
            merger.settled(completion: completion)
        } else {
            // Saves go through the main context here, which has them before they end.
            DispatchQueue.main.async(execute: completion)
        }
    }

    func waitUntilSettled(timeout: TimeInterval) -> Bool {
        if let merger { return merger.waitUntilSettled(timeout: timeout) }
        // What was saved has passed through the main context already, and a semaphore would keep
        // the main queue from the block that signals it.
        if MainQueue.isCurrent { return true }
        let settledSignal = DispatchSemaphore(value: 0)
        settled { settledSignal.signal() }
        return settledSignal.wait(timeout: .now() + timeout) == .success
    }

    // MARK: End

    var isInvalidated: Bool { invalidated.withLock { $0 } }

    func invalidate() {
        // First, so that no work begins any more of which nothing would be merged.
        invalidated.withLock { $0 = true }
        merger?.invalidate()
        onInvalidation()
    }

    /// Resets the main context and its parents, and removes the stores.
    func removeStores() throws {
        main.reset()
        for parent in parents { parent.performAndWait { parent.reset() } }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

/// What is told of errors that nobody else takes.
private struct ErrorHandler {
    var handle: @Sendable (any Error) -> Void
}
