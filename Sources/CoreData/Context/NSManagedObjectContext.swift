import Dispatch
import Foundation

/// A unit of work over managed objects: it fetches them, tracks their changes, and saves all of
/// the changes together or none.
///
/// It is the identity map, too: in one context each row is shown by at most one object.
///
/// > Threading: A context of a queue type is used on its queue only: inside `perform(_:)` or
/// > `performAndWait(_:)`, or on the main queue for the main-queue type. One of confinement type
/// > belongs to the thread that uses it. Objects are confined like their context.
open class NSManagedObjectContext: NSObject, NSSecureCoding, NSLocking, BlockPerforming, WeaklyHeld,
    @unchecked Sendable
{
    // @unchecked: all but `let`s is touched on the context's queue or thread only.
    //
    // What clients may override stands in this file, for Swift dispatches nothing dynamically that
    // an extension declares. What it does stands in the extensions.

    /// How the context guards its objects.
    open private(set) var concurrencyType: NSManagedObjectContextConcurrencyType
    /// nil for a confinement context.
    let queue: DispatchQueue?

    // MARK: The parent store, see NSManagedObjectContext+Parent

    /// The coordinator, or the parent context; nil until one is set. `attach(to:)` sets it.
    var parentSource: (any ContextParent)?
    /// This context as its children see it, for as long as there are some.
    let asParent = Locked(AsParent())
    let weakAnchor = WeakAnchor()
    /// The sets that notifications of the save in progress have, with the lists that they are of; nil
    /// while none is.
    var postedSets: [(objects: [NSManagedObject], set: Set<NSManagedObject>)]?
    /// How many of the tree's key promotions the registered objects have followed.
    var adoptedPromotions = 0

    /// The coordinator whose stores the context reads and saves to; the parent's, if there is one.
    /// Set it once, before use.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { parentSource?.baseCoordinator }
        set { attach(to: newValue) }
    }

    /// The parent context: fetches see its unsaved changes, and saves go to it and not to the
    /// stores. Set it once, before use.
    open var parent: NSManagedObjectContext? {
        get { baseParent }
        set { baseParent = newValue }
    }

    // MARK: Settings

    /// A name for logs and reports, and for the history of stores.
    open var name: String?
    /// Values that the client attaches to the context.
    open private(set) var userInfo = NSMutableDictionary()
    /// The `NSMergePolicy` that resolves the conflicts of a save with what others have saved. The
    /// error policy by default: such a save fails.
    open var mergePolicy: Any = NSMergePolicy.error
    /// Whether a fault whose row has been deleted from the store reads as empty and deleted. True
    /// by default; otherwise reading it stops the program.
    open var shouldDeleteInaccessibleFaults = true
    /// Whether registered objects are kept alive although unchanged. False by default.
    open var retainsRegisteredObjects = false {
        didSet { retainRegisteredObjects() }
    }
    /// Whether delete rules are applied when pending changes are processed (default), or only
    /// by `save()`.
    open var propagatesDeletesAtEndOfEvent = true
    /// For how many seconds a cached row counts as fresh; for ever if negative, which is the
    /// default.
    open var stalenessInterval: TimeInterval = -1 { didSet { readTimes = [:] } }
    /// When rows were read, if `stalenessInterval` asks for it: by root entity and key.
    var readTimes: [RowReference: ContinuousClock.Instant] = [:]
    /// Why a row or a relationship was reported as unreadable, the first time: a getter can't throw,
    /// and a copy of what this context shows must not lack what could not be read.
    var firstUnreadable: (any Error)?
    /// The objects of `detectConflicts(for:)`, until the next save has succeeded.
    var conflictChecks: [NSManagedObject] = []
    /// The author that the store's history gives for this context's saves; nil for none.
    open var transactionAuthor: String?
    /// Whether all objects are plain managed objects, whatever class their entities name; set before the
    /// first is made.
    var ignoresEntityClasses = false
    /// Whether the context merges what other contexts of its coordinator save, on its own queue.
    /// False by default.
    ///
    /// A context with a parent merges what others save into the parent, and what the parent itself
    /// saves or merges.
    open var automaticallyMergesChangesFromParent = false {
        didSet { if automaticallyMergesChangesFromParent != oldValue { followParent() } }
    }

    /// The undo manager that records changes so that `undo()` can reverse them. nil, the default,
    /// records none.
    ///
    /// Changes are registered with it when pending changes are processed. Set it when the context
    /// has no changes that are not processed yet.
    open var undoManager: UndoManager? {
        didSet { if undoManager !== oldValue { undoManagerDidChange() } }
    }

    // MARK: Undo, see NSManagedObjectContext+Undo

    /// nil without an undo manager.
    var undoJournal: UndoJournal? {
        // Setters ask their registry for it: to retain the context for each of them costs more than
        // setting a number does.
        didSet { for registry in allRegistries { registry.undoJournal = undoJournal } }
    }
    var undoObservation: UndoObservation?
    var isRegisteringUndo = false

    // MARK: Unit of work, see NSManagedObjectContext+UnitOfWork

    var insertedList: [NSManagedObject] = []
    var updatedList: [NSManagedObject] = []
    var deletedList: [NSManagedObject] = []
    // Counted apart from the lists, which keep objects that have changed their state since.
    var insertedCount = 0
    var updatedCount = 0
    var deletedCount = 0
    /// Those who watch `hasChanges`; nil if nobody ever did.
    var changeObservers: ObserverList?
    /// What happened since pending changes were last processed; flags of the objects keep entries
    /// unique.
    var pending = ChangeSet<NSManagedObject>()
    /// Of the event under way, or of the one that is being posted.
    var eventValues = EventValues()
    /// Passed with each of them.
    var yieldPoint = YieldPoint()
    /// Objects that have left since pending changes were last processed, and still show what they were
    /// related to: they were deleted before they were saved, or others have taken their place.
    var departed: [NSManagedObject] = []
    /// Why delete rules of some deleted object could not be applied when that was last tried.
    var deletionFailure: (any Error)?
    var isEndOfEventScheduled = false
    var isProcessingPendingChanges = false
    var isSaving = false
    /// nil unless consistency is checked.
    let consistency = ConsistencyCheck.isOn ? ConsistencyState() : nil
    /// Merges that came while the context was saving.
    var deferredMerges: [() -> Void] = []
    /// What stands for this context in the saves that it has merged.
    let merger = SavedChanges.Merger()
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
    /// The registry that the last new object was made with by the name of its entity.
    var latestNew: (name: String, registry: ObjectRegistry)?
    /// The slots of to-many relationships whose members' values were read.
    var readMembers: Set<ObjectIdentifier> = []
    /// Members that others have given to another owner, as far as that is read and not merged.
    let strays = StrayMembers()
    /// Relationships to many whose content is not what the store has, without a change of their own:
    /// they lack objects whose deletion, or other owner, is not saved, or have some that say so
    /// themselves.
    var provisionalContents: [(object: NSManagedObject, slot: Int)] = []
    /// Objects whose rows were found to be gone, until pending changes are processed.
    var foundGone: [NSManagedObject] = []

    /// Makes a context; set its `persistentStoreCoordinator` before use.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue = Self.makeQueue(ct)
        super.init()
    }

    // MARK: Archives, see NSManagedObjectContext+Coding

    /// True: an archive holds plain values.
    open class var supportsSecureCoding: Bool { true }

    /// Makes a context with the settings of an archive; nil, with the coder's error set, if it holds
    /// something else. Set its `persistentStoreCoordinator` or its `parent` before use.
    public required init?(coder: NSCoder) {
        guard let fields = DescriptionFields.read(from: coder),
            let number = fields.integer("concurrencyType"),
            let type = NSManagedObjectContextConcurrencyType(rawValue: UInt(clamping: number))
        else { return nil }
        concurrencyType = type
        queue = Self.makeQueue(type)
        super.init()
        take(fields)
    }

    /// Writes the settings of the context to an archive: neither its parent store nor its objects.
    /// Of its merge policy the type is written.
    open func encode(with coder: NSCoder) { archivedSettings.write(of: "the context", to: coder) }

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
        parentSource?.removeFollower(self)
        parentSource?.contexts.remove(self)
        detachRegistries()
        // Objects that no store has yet are in these lists, and in none of the maps above.
        for list in [insertedList, updatedList, deletedList] {
            for object in list { object.breakRelationships() }
        }
    }

    /// Whether the context goes on where a fault can't be filled: one without a row then reads as
    /// empty and deleted, and one that the store fails to read as empty for now. If false, the
    /// program stops.
    ///
    /// - Parameter property: The to-many relationship that could not be read; nil for an object's
    ///   own values.
    /// - Returns: `shouldDeleteInaccessibleFaults`, unless overridden.
    @discardableResult
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject,
        for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    // Swift lets subclasses override members of the class's body, and none of its extensions. So the
    // body has the whole face that clients may override, here as in the other open classes, and a
    // member that takes more than a few lines forwards to one in the extension that its mark names:
    // `save()` to `baseSave()`, and so on. Code of this module calls the base member where no
    // override may come between.

    // MARK: Work on the queue, see NSManagedObjectContext+Queue

    /// Runs a block on the context's queue, later; pending changes are processed after it.
    ///
    /// > Threading: Any thread.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { basePerform(block) }

    /// Runs a block on the context's queue and waits for it. May be nested.
    ///
    /// > Threading: Any thread. On the context's queue, or inside a block that the queue waits
    /// > for, the block runs at once.
    @preconcurrency
    open func performAndWait(_ block: @Sendable () -> Void) { basePerformAndWait(block) }

    // MARK: Objects by ID, see NSManagedObjectContext+Lookup

    /// The object for an ID if the context knows it. Never reads a store.
    @discardableResult
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        baseRegisteredObject(for: objectID)
    }

    /// The object for an ID: the one that the context knows, or a fault, which may turn out to
    /// have no row. Never reads a store.
    @discardableResult
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        baseObject(with: objectID)
    }

    /// The object for an ID, read from the store unless its values are here.
    ///
    /// - Throws: `NSManagedObjectReferentialIntegrityError` if there is no such row.
    @discardableResult
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try baseExistingObject(with: objectID)
    }

    /// Gives objects permanent IDs ahead of their save.
    ///
    /// - Complexity: For an SQLite store one small transaction for each run of objects of one
    ///   root entity.
    /// - Throws: What the store throws if it can't take keys.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        checkQueue("obtainPermanentIDs(for:)")
        try baseObtainPermanentIDs(for: objects)
    }

    /// Says which store a new object goes to; the first writable one otherwise.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        checkQueue("assign(_:to:)")
        baseAssign(object, to: store)
    }

    /// All objects that the context knows.
    open var registeredObjects: Set<NSManagedObject> {
        checkQueue("registeredObjects")
        return baseRegisteredObjects
    }

    // MARK: Requests, see NSManagedObjectContext+Fetching and +Executing

    /// The objects (or IDs, numbers, dictionaries) that a request of any result type asks for.
    ///
    /// What a subclass makes of it goes for requests of all types.
    ///
    /// - Throws: As the form for typed requests.
    @discardableResult
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        checkQueue("fetch(_:)")
        return try baseFetch(of: request)
    }

    /// The number of objects that a request of any result type asks for, its limit and offset
    /// applied.
    ///
    /// What a subclass makes of it goes for requests of all types.
    ///
    /// - Throws: As `fetch(_:)`.
    @discardableResult
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        checkQueue("count(for:)")
        return try baseCount(request as any AnyFetchRequest)
    }

    /// Executes a request.
    ///
    /// Batch requests go to the stores at once, past this context and its parents: merge the
    /// object IDs that they give into the contexts that show such objects. An asynchronous fetch
    /// returns before it has fetched. A fetch request gives an `NSAsynchronousFetchResult` that is
    /// final.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` for a batch request to a store that
    ///   is not an SQLite store, and for unknown requests; a sentence about the property or
    ///   predicate that can't be used; what a store throws.
    /// - Complexity: A batch runs one statement for each store, and some for relationships.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue("execute(_:)")
        return try baseExecute(request)
    }

    // MARK: Changes, see NSManagedObjectContext+UnitOfWork

    /// Whether anything is inserted, updated or deleted.
    open var hasChanges: Bool {
        checkQueue("hasChanges")
        return baseHasChanges
    }

    /// The objects that the next save inserts.
    open var insertedObjects: Set<NSManagedObject> {
        checkQueue("insertedObjects")
        return baseInsertedObjects
    }

    /// The objects that the next save updates.
    open var updatedObjects: Set<NSManagedObject> {
        checkQueue("updatedObjects")
        return baseUpdatedObjects
    }

    /// The objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> {
        checkQueue("deletedObjects")
        return baseDeletedObjects
    }

    /// Inserts an object that has no context, or takes back the deletion of one that has.
    open func insert(_ object: NSManagedObject) {
        checkQueue("insert(_:)")
        baseInsert(object)
    }

    /// Marks an object for deletion by the next save. Delete rules are applied when pending
    /// changes are processed.
    open func delete(_ object: NSManagedObject) { baseDelete(object) }

    /// Applies delete rules and posts what has changed since the last call.
    ///
    /// A queue does this after each `perform`, the main queue at the end of the event as well,
    /// and so does `save()`.
    open func processPendingChanges() {
        checkQueue("processPendingChanges()")
        baseProcessPendingChanges()
    }

    /// Writes all changes to the stores.
    ///
    /// In order: pending changes are processed; objects get `willSave()`; will-save is posted, once;
    /// objects that have changed get `willSave()` again, until nothing changes any more; changes
    /// are validated; rows are written; objects get `didSave()`; did-save is posted. If anything fails, the file and the context's changes are
    /// as they were, and new objects keep their temporary IDs.
    ///
    /// - Throws: Validation errors (several ones under `NSDetailedErrorsKey` of one);
    ///   `NSManagedObjectMergeError` for conflicts that the merge policy does not resolve; what a
    ///   store throws when it can't be written.
    /// - Complexity: One statement for each changed row.
    open func save() throws { try baseSave() }

    /// Makes the next save fail, or ask the merge policy, if the object's row has changed in the
    /// store since it was read; also if the object itself is unchanged.
    ///
    /// The row is compared before the save's transaction begins.
    open func detectConflicts(for object: NSManagedObject) {
        checkQueue("detectConflicts(for:)")
        baseDetectConflicts(for: object)
    }

    /// Brings an object up to date.
    ///
    /// - Parameter flag: true reads the row again and puts local changes on top; false drops them
    ///   and makes the object a fault.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        baseRefresh(object, mergeChanges: flag)
    }

    /// Refreshes all registered objects; unsaved changes stay.
    open func refreshAllObjects() { baseRefreshAllObjects() }

    /// Drops all changes: inserted objects leave the context, the others get back what was last
    /// read or saved. Nothing is read.
    open func rollback() { baseRollback() }

    /// Forgets all objects and changes. References to objects are of no use afterwards.
    open func reset() { baseReset() }

    /// Reverses the last group of the undo manager, with what has changed in this event.
    ///
    /// Attributes, relationships with their inverses, insertions and deletions are undone; what
    /// was merged, refreshed or rolled back is not. Does nothing without an undo manager.
    open func undo() { baseUndo() }

    /// Reverses the last undo. Does nothing without an undo manager.
    open func redo() { baseRedo() }

    // MARK: Saves of others, see NSManagedObjectContext+Merging

    /// Merges what another context of the coordinator saved: updated objects that this context
    /// knows are refreshed with local changes kept on top, inserted ones become known as faults,
    /// deleted ones are deleted here too, with `delete(_:)` and the delete rules.
    ///
    /// Posts objects-did-change before it returns; an updated object counts as refreshed there,
    /// whether it was a fault or not.
    ///
    /// > Threading: On this context's queue. The notification may come from another thread.
    ///
    /// - Parameter notification: A did-save notification, with objects or with object IDs.
    /// - Complexity: Proportional to what was inserted, and to what was updated and deleted of the
    ///   objects registered here. No statement is run, unless the notification has object IDs alone.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        baseMergeChanges(fromContextDidSave: notification)
    }

    /// Merges changes given as object IDs or URIs into several contexts, each on its queue.
    ///
    /// - Parameter changeNotificationData: IDs (or URIs, or sets of either) under the keys of the
    ///   notifications of contexts.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
        into contexts: [NSManagedObjectContext]
    ) { baseMergeChanges(fromRemoteContextSave: changeNotificationData, into: contexts) }

    // MARK: Generations, see NSQueryGenerationToken

    /// The generation that the context was asked to read; nil by default. Its did-save
    /// notifications carry it.
    open var queryGenerationToken: NSQueryGenerationToken? { generation }
    final var generation: NSQueryGenerationToken?

    /// Pins the context's reads to a generation, where stores support it; see
    /// ``NSQueryGenerationToken``. No store here does, so that the reads stay as they are.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        self.generation = generation
    }

    /// Locks are of no use to contexts; use `performAndWait(_:)`.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func lock() {}
    /// Locks are of no use to contexts; use `performAndWait(_:)`.
    ///
    /// - Returns: True, always.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    @discardableResult
    open func tryLock() -> Bool { true }
    /// Locks are of no use to contexts; use `performAndWait(_:)`.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func unlock() {}

    open override var description: String {
        "<NSManagedObjectContext: \(Unmanaged.passUnretained(self).toOpaque())"
            + (name.map { " \"\($0)\"" } ?? "") + ">"
    }
}
