import Dispatch
import Foundation

/// A scratchpad of managed objects: finds them, tracks their changes, and saves them together.
///
/// > Threading: A context of a queue type is used on its queue only: inside `perform(_:)` or
/// > `performAndWait(_:)`, or on the main queue for the main-queue type. One of confinement type
/// > belongs to the thread that uses it. Objects are confined like their context.
open class NSManagedObjectContext: NSObject, NSLocking, @unchecked Sendable {
    // @unchecked: all but `let`s is touched on the context's queue or thread only.

    /// How the context guards its objects.
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    /// nil for a confinement context.
    let queue: DispatchQueue?

    /// The coordinator, or the context above; nil until one is set.
    private(set) var parentSource: (any ContextParent)?
    /// This context as its children see it, for as long as there are some.
    let asParent = Locked(AsParent())
    struct AsParent {
        weak var parent: ParentContext?
    }
    /// How many of the tree's key promotions the registered objects have followed.
    var adoptedPromotions = 0

    /// The coordinator whose stores the context reads and saves to; the parent's, if there is one.
    /// Set it once, before use.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get {
            parentSource?.baseCoordinator
        }
        set { stand(on: newValue) }
    }

    /// The context above this one: fetches see its unsaved changes, and saves go to it only. Set
    /// it once, before use.
    open var parent: NSManagedObjectContext? {
        get { (parentSource as? ParentContext)?.context }
        set {
            guard let newValue else {
                if parent != nil { stand(on: nil) }
                return
            }
            var ancestor: NSManagedObjectContext? = newValue
            while let current = ancestor {
                precondition(current !== self, "A context can't be its own parent.")
                ancestor = current.parent
            }
            stand(on: newValue.sourceForChildren)
        }
    }

    private var sourceForChildren: ParentContext {
        asParent.withLock { asParent in
            if let parent = asParent.parent { return parent }
            let made = ParentContext(self)
            asParent.parent = made
            return made
        }
    }

    /// Sets what the context stands on.
    func stand(on newSource: (any ContextParent)?) {
        guard newSource !== parentSource else { return }
        precondition(
            registries.isEmpty && storeRegistries.isEmpty,
            "The context has objects of another coordinator or parent already: reset() it first."
        )
        parentSource?.forget(self)
        parentSource?.contexts.remove(self)
        parentSource = newSource
        newSource?.contexts.add(self)
        adoptedPromotions = newSource?.promotions?.count ?? 0
        if automaticallyMergesChangesFromParent { newSource?.inform(self) }
    }
    /// A name for logs and reports, and for the history of stores.
    open var name: String?
    /// What the client attached.
    public let userInfo = NSMutableDictionary()
    /// What becomes of conflicts; an `NSMergePolicy`. The error policy by default.
    open var mergePolicy: Any = NSMergePolicy.error
    /// Whether a fault whose row is gone reads as empty and deleted. True by default; otherwise
    /// it stops the program.
    open var shouldDeleteInaccessibleFaults = true
    /// Whether registered objects are kept alive although unchanged. False by default.
    open var retainsRegisteredObjects = false {
        didSet {
            retainedObjects = [:]
            guard retainsRegisteredObjects else { return }
            for object in registeredObjects { retainedObjects[ObjectIdentifier(object)] = object }
        }
    }
    /// Whether delete rules are applied when pending changes are processed (default), or only
    /// by `save()`.
    open var propagatesDeletesAtEndOfEvent = true
    /// How long a cached row counts as fresh; negative for ever, the default.
    open var stalenessInterval: TimeInterval = -1 { didSet { readTimes = [:] } }
    /// When rows were read, if `stalenessInterval` asks for it: by root entity and key.
    var readTimes: [RowReference: ContinuousClock.Instant] = [:]
    /// The objects of `detectConflicts(for:)`, until the next save has succeeded.
    var conflictChecks: [NSManagedObject] = []
    /// Marks saves in the store's history.
    open var transactionAuthor: String?
    /// Whether saves of other contexts of the coordinator are merged into this one, on its queue.
    /// False by default.
    open var automaticallyMergesChangesFromParent = false {
        didSet {
            guard automaticallyMergesChangesFromParent != oldValue else { return }
            if automaticallyMergesChangesFromParent {
                parentSource?.inform(self)
            } else {
                parentSource?.forget(self)
            }
        }
    }

    /// What records changes so that `undo()` can reverse them; nil, the default, for nothing.
    ///
    /// Changes are registered with it when pending changes are processed. Set it when the context
    /// has no changes that are not processed yet.
    open var undoManager: UndoManager? {
        didSet { if undoManager !== oldValue { undoManagerDidChange() } }
    }

    // MARK: Undo, see NSManagedObjectContext+Undo

    /// nil without an undo manager.
    var undoJournal: UndoJournal? {
        didSet { for registry in allRegistries { registry.undoJournal = undoJournal } }
    }
    var undoObservation: UndoObservation?
    var isRegisteringUndo = false

    // MARK: Unit of work, see NSManagedObjectContext+UnitOfWork

    var insertedList: [NSManagedObject] = []
    var updatedList: [NSManagedObject] = []
    var deletedList: [NSManagedObject] = []
    var insertedCount = 0
    var updatedCount = 0
    var deletedCount = 0
    var pending = PendingChanges()
    /// Objects deleted before they were saved, since pending changes were last processed.
    var departed: [NSManagedObject] = []
    var isEndOfEventScheduled = false
    var isProcessingPendingChanges = false
    var isSaving = false
    /// Merges that came while the context was saving.
    var deferredMerges: [() -> Void] = []
    /// Objects kept because `retainsRegisteredObjects` asks for it.
    var retainedObjects: [ObjectIdentifier: NSManagedObject] = [:]

    // MARK: Registries, see NSManagedObjectContext+Registration

    /// For objects that are in no store yet, by entity.
    var registries: [ObjectIdentifier: ObjectRegistry] = [:]
    var storeRegistries: [StoreRegistries] = []
    /// The objects of stores that were removed: those that are related hold each other until the
    /// context is reset or goes.
    var removedObjects: [IdentityMap] = []
    var storeAssignments: [ObjectIdentifier: NSPersistentStore] = [:]

    /// The rows of the faults that were fired last.
    var recentRows = RecentRows()
    var batchedFetches = BatchedFetches()
    /// The contents of to-many relationships that were read last.
    var relatedFetches = BatchedFetches()

    /// Makes a context; set its `persistentStoreCoordinator` before use.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        switch ct.rawValue {
        case NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue:
            queue = ThreadPlaces.main
        case NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue:
            queue = DispatchQueue(label: "NSManagedObjectContext")
        default:
            queue = nil
        }
        super.init()
    }

    /// Makes a context that belongs to the thread that uses it.
    @available(*, deprecated, message: "Use init(concurrencyType:) with a queue type.")
    public convenience override init() {
        self.init(concurrencyType: .confinementConcurrencyType)
    }

    /// Makes a context; set its `persistentStoreCoordinator` before use.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.rawValue)
    }

    deinit {
        parentSource?.forget(self)
        parentSource?.contexts.remove(self)
        detachRegistries()
        for list in [insertedList, updatedList, deletedList] {
            for object in list { object.breakRelationships() }
        }
    }

    /// Whether a fault without row reads as empty and deleted; if not, the program stops.
    ///
    /// - Parameter property: Always nil here.
    /// - Returns: `shouldDeleteInaccessibleFaults`, unless overridden.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject,
        for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    /// Locks are of no use to contexts; use `performAndWait(_:)`.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func lock() {}
    /// Locks are of no use to contexts; use `performAndWait(_:)`.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    public func unlock() {}

    /// What the context reads from and saves to.
    var source: any ContextParent {
        guard let parentSource else {
            preconditionFailure(
                "The context has neither a persistentStoreCoordinator nor a parent: set one before "
                    + "the context is used."
            )
        }
        return parentSource
    }

    /// The coordinator, which everything but making objects of no context needs.
    var coordinator: NSPersistentStoreCoordinator {
        guard let persistentStoreCoordinator else {
            preconditionFailure(
                "The context has no persistentStoreCoordinator: set it before the context is used."
            )
        }
        return persistentStoreCoordinator
    }

    open override var description: String {
        "<NSManagedObjectContext: \(Unmanaged.passUnretained(self).toOpaque())"
            + (name.map { " \"\($0)\"" } ?? "") + ">"
    }
}
