import CoreData

/// A way to lay out contexts: a main context for what is on screen, contexts for work in the
/// background, and how what one of them saves gets to the store and to the main context.
///
/// All layouts share this interface, so that one can take another's place in a test or a
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
/// Everything else is built on the layout: background work, saving to the store, ``Scratchpad``,
/// and module `MergeExchange` for importing and exporting. All of them save to the store itself, and
/// so does a plain `save()` of a context that the stack has made, whatever parents it has.
///
/// A layout of your own conforms by its ``ContextLayout`` alone; see <doc:WritingALayout>.
///
/// > Threading: Any thread, unless a member says otherwise; ``mainContext`` on the main queue.
public protocol ContextStack: AnyObject, Sendable {
    /// The stack's contexts; the same object at each call.
    var layout: ContextLayout { get }

    /// Makes the stack's contexts on a coordinator to which the stores have been added.
    init(coordinator: NSPersistentStoreCoordinator)
}

extension ContextStack {
    /// Makes a coordinator, adds the stores and makes the stack's contexts on it.
    ///
    /// The stores are added before it returns, whatever `shouldAddStoreAsynchronously` says. Those
    /// of an earlier model are migrated, unless their descriptions say otherwise.
    ///
    /// - Throws: What adding a store throws; ``MergeStackError`` with code `noMapping` if its model
    ///   is another one and no mapping from it can be inferred, with `entitiesDropped` if objects
    ///   would be lost and the description does not allow it.
    public init(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription]
    ) throws {
        self.init(coordinator: try NSPersistentStoreCoordinator(model: model, stores: stores))
    }

    /// The coordinator that all contexts of the stack share.
    public var coordinator: NSPersistentStoreCoordinator { layout.coordinator }
    /// The context for what is on screen, of the main queue.
    public var mainContext: NSManagedObjectContext { layout.main }

    /// Makes a context for some work in the background, to be thrown away after its save.
    ///
    /// - Parameters:
    ///   - kind: A context of confinement type belongs to the calling thread. A stack whose main
    ///     context does all work returns that, or a child of it if confinement is asked for.
    ///   - name: The context's name in merge reports.
    /// - Returns: A context with the stack's merge policy. Its plain `save()` ends when the changes
    ///   are on disk.
    public func makeBackgroundContext(
        _ kind: BackgroundContextKind = .privateQueue,
        name: String? = nil
    ) -> NSManagedObjectContext {
        layout.makeBackgroundContext(kind, name: name)
    }

    /// Gets the errors that nobody else is told of: those of saves without a completion. Until it is
    /// set, they are logged.
    ///
    /// > Threading: Called on the queue of the context whose save failed.
    public var onUnhandledError: @Sendable (any Error) -> Void {
        get { layout.onUnhandledError }
        set { layout.onUnhandledError = newValue }
    }

    // MARK: Barrier

    /// Calls back on the main queue when the main context shows every save that ended before now.
    public func settled(completion: @escaping @Sendable () -> Void) {
        layout.settled(completion: completion)
    }

    /// Returns when the main context shows every save that ended before now.
    public func settled() async {
        await withCheckedContinuation { continuation in
            settled { continuation.resume() }
        }
    }

    /// Waits until the main context shows every save that ended before now.
    ///
    /// Where saves are merged, see ``DidSaveMerger/waitUntilSettled(timeout:)``.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: Whether it shows them.
    @discardableResult public func waitUntilSettled(timeout: TimeInterval = 60) -> Bool {
        layout.waitUntilSettled(timeout: timeout)
    }

    // MARK: End

    /// Whether the stack was invalidated or torn down.
    public var isInvalidated: Bool { layout.isInvalidated }

    /// Stops merging and refuses background work from now on; contexts can still save.
    ///
    /// A second call does nothing.
    public func invalidate() { layout.invalidate() }

    /// Invalidates the stack, resets its main context with its parents, and removes the stores.
    ///
    /// No context of the stack can be used after it. Saves under way fail: wait for their
    /// completions before.
    ///
    /// > Threading: On the main queue.
    ///
    /// - Throws: What removing a store throws.
    public func tearDown() throws {
        invalidate()
        try layout.removeStores()
    }

    /// Throws if the stack was invalidated.
    package func checkIsValid() throws {
        guard !isInvalidated else {
            throw MergeStackError(
                .invalidated,
                "The stack was invalidated; make a new one for further work."
            )
        }
    }
}
