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
public final class NotificationMergeStack: ContextStack {
    /// The main context, and background contexts beside it on its coordinator.
    public let layout: ContextLayout
    /// What merges background saves into the main context.
    public let merger: DidSaveMerger

    /// Makes a coordinator, adds the stores and makes the contexts on it.
    ///
    /// The stores are added before it returns, whatever `shouldAddStoreAsynchronously` says. Those
    /// of an earlier model are migrated, unless their descriptions say otherwise.
    ///
    /// - Throws: What adding a store throws; ``MergeStackError`` with code `noMapping` if its model
    ///   is another one and no mapping from it can be inferred, with `entitiesDropped` if objects
    ///   would be lost and the description does not allow it.
    public convenience init(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription],
        options: MergeOptions
    ) throws {
        let coordinator = try NSPersistentStoreCoordinator(model: model, stores: stores)
        self.init(coordinator: coordinator, options: options)
    }

    /// Makes a main context of its own on a coordinator to which the stores have been added, with
    /// the default options.
    public convenience init(coordinator: NSPersistentStoreCoordinator) {
        self.init(coordinator: coordinator, options: MergeOptions())
    }

    /// Makes a main context of its own on a coordinator to which the stores have been added.
    ///
    /// > Threading: The main context may be made on any thread.
    public convenience init(coordinator: NSPersistentStoreCoordinator, options: MergeOptions) {
        let main = NSManagedObjectContext.make(
            .mainQueueConcurrencyType,
            on: coordinator,
            name: "main"
        )
        self.init(main: main, options: options)
    }

    /// Uses the view context of a container that has loaded its stores as main context.
    ///
    /// The container's `automaticallyMergesChangesFromParent` must be off, which is the default;
    /// otherwise every save would be merged twice.
    ///
    /// > Threading: On the main queue.
    public convenience init(
        container: NSPersistentContainer,
        options: MergeOptions = MergeOptions()
    ) {
        self.init(main: container.viewContext, options: options)
    }

    private init(main: NSManagedObjectContext, options: MergeOptions) {
        merger = DidSaveMerger(into: main, options: options)
        layout = ContextLayout(main: main, background: .besideMain(merger))
    }
}
