import CoreData
import Threads

/// Contexts as MagicalRecord 2 lays them out: a private root that writes to the store, and as its
/// children the main ("default") context and a context for each piece of work or each thread.
///
/// ```swift
/// let stack = try PerThreadStack(model: model, stores: [NSPersistentStoreDescription(url: url)])
/// let context = try stack.contextForCurrentThread()
/// let item = Item(context: context)
/// try stack.saveAndWait(context)
/// ```
///
/// A context's save goes to the root, and from there to the store. The root's saves are merged
/// into the main context, but for those that hold only what the main context itself pushed.
///
/// All contexts have the merge policy `NSMergeByPropertyObjectTrumpMergePolicy`. A child's save
/// overwrites in the root the properties that the child changed: the last save wins. The policy is
/// for conflicts of the root with other coordinators and processes.
///
/// > Threading: Any thread; ``mainContext`` on the main queue, ``rootContext`` on its own. Fetches,
/// > faults and saves of all others wait for the root's queue, and never for the main queue: so the
/// > main queue may wait for any thread.
public final class PerThreadStack: ContextStack {
    /// The main context and background contexts, all of them children of the root.
    public let layout: ContextLayout
    /// The context that writes to the store: MagicalRecord's `rootSavingContext`.
    public let rootContext: NSManagedObjectContext
    /// What merges the root's saves into the main context, MagicalRecord's `defaultContext`.
    public let merger: DidSaveMerger
    private let threadContexts: ThreadContexts

    /// Makes a coordinator, adds the stores and makes the contexts on it.
    ///
    /// Stores of an earlier model are migrated, unless their descriptions say otherwise.
    ///
    /// - Throws: What adding a store throws; ``MergeStackError`` with code `noMapping` if its model
    ///   is another one and no mapping from it can be inferred.
    public convenience init(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription],
        options: MergeOptions
    ) throws {
        let coordinator = try NSPersistentStoreCoordinator(model: model, stores: stores)
        self.init(coordinator: coordinator, options: options)
    }

    /// Makes a root and a main context on a coordinator to which the stores have been added, with
    /// the default options.
    public convenience init(coordinator: NSPersistentStoreCoordinator) {
        self.init(coordinator: coordinator, options: MergeOptions())
    }

    /// Makes a root and a main context on a coordinator to which the stores have been added.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator.
    ///   - options: How to merge; delivery is asynchronous whatever they say, since a merge reads
    ///     through the root, whose queue a synchronous one would hold.
    public init(coordinator: NSPersistentStoreCoordinator, options: MergeOptions) {
        let root = NSManagedObjectContext.make(
            .privateQueueConcurrencyType,
            on: coordinator,
            name: "root"
        )
        let main = NSManagedObjectContext.make(
            .mainQueueConcurrencyType,
            childOf: root,
            name: "main"
        )
        // It holds the root and not the stack, which owns it: a stack that is in a circle would
        // never end by itself, and its contexts with it.
        let threadContexts = ThreadContexts {
            .make(BackgroundContextKind.confinement.concurrencyType, childOf: root, name: $0)
        }
        var options = options
        options.delivery = .asynchronous
        merger = DidSaveMerger(into: main, options: options)
        layout = ContextLayout(main: main, background: .besideMain(merger)) {
            threadContexts.forgetAll()
        }
        rootContext = root
        self.threadContexts = threadContexts
    }

    /// The main context if called on the main queue, elsewhere a context of confinement type that
    /// belongs to the calling thread: MagicalRecord's `contextForCurrentThread`.
    ///
    /// It is kept until the thread ends, the stack is invalidated or its
    /// ``forgetThreadContexts()`` is called; a thread that comes back later gets a new one. Blocks
    /// of a queue run on any of its threads, so that they can't carry objects from one block to the
    /// next.
    ///
    /// > Threading: The calling thread only.
    ///
    /// - Throws: ``MergeStackError`` with code `invalidated`.
    @available(*, noasync, message: "An asynchronous function may change its thread.")
    public func contextForCurrentThread() throws -> NSManagedObjectContext {
        try checkIsValid()
        return MainQueue.isCurrent ? mainContext : threadContexts.contextForCurrentThread()
    }

    /// Forgets the contexts of all threads, with their unsaved changes: MagicalRecord's
    /// `clearNonMainThreadContextsCache`.
    ///
    /// A thread that is using its context may go on, as long as it holds a reference to it.
    public func forgetThreadContexts() { threadContexts.forgetAll() }
}
