import CoreData
import Dispatch

/// A way to lay out contexts: a main context for what is on screen, contexts for work in the
/// background, and how what one of them saves gets to the store and to the main context.
///
/// Every layout has the same face, so that one can be put in another's place in a test or a
/// benchmark:
///
/// | type | layout |
/// | --- | --- |
/// | ``SingleContextStack`` | one context on the main queue |
/// | ``NotificationMergeStack`` | main and background contexts on one coordinator, merged by notification |
/// | ``ParentChildStack`` | background contexts are children of main |
/// | ``PrivateWriterStack`` | a private writer below main, background contexts above it |
/// | ``PerThreadStack`` | a private root below main and a context for each thread |
///
/// What all have is built on these requirements: work in the background, saving to the store,
/// ``Scratchpad``, and module `MergeExchange` for importing and exporting. They save all the way
/// to the store. A context's own `save()` goes to its parent, if the layout gives it one.
///
/// > Threading: Any thread, unless a member says otherwise; ``mainContext`` on the main queue.
public protocol ContextStack: AnyObject, Sendable {
    /// What all contexts stand on.
    var coordinator: NSPersistentStoreCoordinator { get }
    /// The context for what is on screen, of the main queue.
    var mainContext: NSManagedObjectContext { get }
    /// Whether the stack was invalidated or torn down.
    var isInvalidated: Bool { get }

    /// Puts contexts on a coordinator that has its stores.
    init(coordinator: NSPersistentStoreCoordinator)

    /// Makes a context for some work in the background, to be thrown away after its save.
    ///
    /// - Parameters:
    ///   - kind: A context of confinement type belongs to the calling thread. A stack that has but
    ///     one context gives that, whatever is asked for: look at its type.
    ///   - name: The context's name in merge reports.
    /// - Returns: A context with the stack's merge policy, without objects.
    func makeBackgroundContext(
        _ kind: BackgroundContextKind,
        name: String?
    ) -> NSManagedObjectContext

    /// Calls back on the main queue when the main context shows every save that ended before now.
    ///
    /// The default is for layouts in which every save goes through the main context. A layout that
    /// merges saves into it asks its merger: `merger.settled(completion: completion)`.
    func settled(completion: @escaping @Sendable () -> Void)

    /// Waits until the main context shows every save that ended before now.
    ///
    /// The default suits as that of ``settled(completion:)`` does.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: Whether it shows them.
    @discardableResult func waitUntilSettled(timeout: Duration) -> Bool

    /// Ends work in the background, for good; contexts can still save.
    ///
    /// A second call does nothing.
    func invalidate()

    /// Invalidates the stack, forgets its contexts' objects and removes the stores.
    ///
    /// No context of the stack can be used after it. Saves under way fail: wait for their
    /// completions before.
    ///
    /// > Threading: On the main queue.
    ///
    /// - Throws: What removing a store throws.
    func tearDown() throws
}

extension ContextStack {
    /// Makes a coordinator, adds the stores and puts contexts on it.
    ///
    /// The stores are added before it returns, whatever `shouldAddStoreAsynchronously` says. Those
    /// of an earlier model are migrated, unless their descriptions say otherwise.
    ///
    /// - Throws: What adding a store throws; ``MergeStackError`` with code `noMapping` if its model
    ///   is another one and no mapping from it can be inferred, with `entitiesDropped` if objects
    ///   would go and the description does not allow it.
    public init(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription]
    ) throws {
        self.init(coordinator: try NSPersistentStoreCoordinator(model: model, stores: stores))
    }

    /// Makes a context with a queue of its own for some work in the background.
    public func makeBackgroundContext(name: String? = nil) -> NSManagedObjectContext {
        makeBackgroundContext(.privateQueue, name: name)
    }

    /// Makes a context without a name for some work in the background.
    public func makeBackgroundContext(_ kind: BackgroundContextKind) -> NSManagedObjectContext {
        makeBackgroundContext(kind, name: nil)
    }

    /// Returns when the main context shows every save that ended before now.
    public func settled() async {
        await withCheckedContinuation { continuation in
            settled { continuation.resume() }
        }
    }

    /// Waits, for a minute at most, until the main context shows every save that ended before now.
    ///
    /// - Returns: Whether it shows them.
    @discardableResult public func waitUntilSettled() -> Bool {
        waitUntilSettled(timeout: .seconds(60))
    }

    // MARK: Where the main context has each save at once

    /// Calls back in a later turn of the main queue: saves go through the main context here.
    public func settled(completion: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async(execute: completion)
    }

    /// Waits for the main queue: saves go through the main context here.
    @discardableResult public func waitUntilSettled(timeout: Duration) -> Bool {
        if MainQueue.isCurrent { return true }
        let isDone = DispatchSemaphore(value: 0)
        settled { isDone.signal() }
        return isDone.wait(timeout: .now() + timeout.seconds) == .success
    }

    // MARK: For stacks of this module

    /// Throws if the stack was invalidated.
    package func checkIsValid() throws {
        guard !isInvalidated else {
            throw MergeStackError(
                .invalidated,
                "The stack was invalidated; make a new one for further work."
            )
        }
    }

    /// Forgets the objects of the main context and of one below it, and removes the stores.
    func removeStores(below: NSManagedObjectContext? = nil) throws {
        mainContext.reset()
        below?.performAndWait { below?.reset() }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
