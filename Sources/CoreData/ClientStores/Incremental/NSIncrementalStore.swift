import Foundation

/// A store that gives its objects one by one, as they are asked for: of a web service, say.
///
/// A subclass overrides `type`, `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)` and `obtainPermanentIDs(for:)`. Register it with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`.
///
/// The rows that objects hold are cached, as with other stores. A save whose objects were changed by
/// another context of this process is a conflict before the store is asked; the store reports
/// conflicts with what others did by throwing an error with
/// `NSPersistentStoreSaveConflictsErrorKey`.
///
/// > Threading: Client code runs on the queue of the context that asked, several at a time.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
    // @unchecked: `state` is behind its lock, the caches guard themselves.

    struct State {
        var model: ModelLayout?
        /// By layout index: whether the store holds the entity.
        var members: [Bool] = []
        /// By layout index; the ones of root entities are used.
        var caches: [RowCache] = []
        /// By key.
        var versions: [Int64: RowVersion] = [:]
        /// The keys of rows that this process has deleted.
        var deletedKeys: Set<Int64> = []
    }
    /// The version of a row here, and the store's own for the same values: nil after a save, whose
    /// effect on it is not known.
    struct RowVersion {
        var row: Int32
        var node: UInt64?
    }
    let state = Locked(State())

    /// Reads the metadata when the store is added. Override it: set `metadata` with the type under
    /// `NSStoreTypeKey` and a UUID that stays under `NSStoreUUIDKey`.
    ///
    /// - Throws: What makes the store unusable; it is not added then.
    open override func loadMetadata() throws {}

    /// Does what a fetch or a save asks for. Override it.
    ///
    /// In a save that other stores take part in, these are locked: don't save a context of the
    /// coordinator then.
    ///
    /// - Parameters:
    ///   - request: An `NSFetchRequest`, or an `NSSaveChangesRequest`.
    ///   - context: The context that asks.
    /// - Returns: For a fetch an array, as its `resultType` says: managed objects (made with
    ///   `context.object(with:)`), object IDs, dictionaries, or one number for a count. For a save
    ///   anything.
    /// - Throws: What makes the request fail.
    @discardableResult
    open func execute(
        _ request: NSPersistentStoreRequest,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw CocoaError.unsupportedRequest(
            String(describing: Swift.type(of: request)),
            storeType: type
        )
    }

    /// The values of an object. Override it.
    ///
    /// - Throws: `NSManagedObjectReferentialIntegrityError` if there is no such object; what stops
    ///   it from being read.
    @discardableResult
    open func newValuesForObject(
        with objectID: NSManagedObjectID,
        with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw CocoaError.unsupportedRequest("newValuesForObject(with:with:)", storeType: type)
    }

    /// What a relationship leads to. Override it.
    ///
    /// - Returns: An `NSManagedObjectID` or `NSNull` for a to-one relationship; an array of IDs for
    ///   a to-many one, in order if it is ordered.
    @discardableResult
    open func newValue(
        forRelationship relationship: NSRelationshipDescription,
        forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw CocoaError.unsupportedRequest(
            "newValue(forRelationship:forObjectWith:with:)",
            storeType: type
        )
    }

    /// IDs for new objects, made with `newObjectID(for:referenceObject:)`, in the same order.
    /// Override it.
    @discardableResult
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw CocoaError.unsupportedRequest("obtainPermanentIDs(for:)", storeType: type)
    }

    /// Called when contexts begin to use objects. Does nothing here.
    ///
    /// > Threading: On the queue of the context.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called when contexts have released objects, once for each call of
    /// `managedObjectContextDidRegisterObjects(with:)`. Does nothing here.
    ///
    /// > Threading: Any thread: wherever the last reference to an object went.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// A UUID for a store that has none yet.
    @discardableResult
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    // MARK: For use by subclasses

    /// The ID of the object that the store knows by a reference object.
    ///
    /// - Parameter data: A string, an integer or a UUID; any other value stops the program.
    @discardableResult
    open func newObjectID(
        for entity: NSEntityDescription,
        referenceObject data: Any
    ) -> NSManagedObjectID {
        makeObjectID(entity, data)
    }

    /// What the store knows an object by. Stops the program for a temporary ID, and for one of
    /// another store.
    @discardableResult
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { identifier(of: objectID) }

    override class var knowsRowsByIdentifier: Bool { true }

    // MARK: Files

    override class var isFile: Bool { false }

    override class func removeStore(at url: URL) throws {
        throw CocoaError.unsupportedRequest("destroyPersistentStore", storeType: "\(self)")
    }

    override class func replaceStore(
        at destination: URL,
        withStoreAt source: URL,
        willReplace: () throws -> Void
    ) throws {
        throw CocoaError.unsupportedRequest("replacePersistentStore", storeType: "\(self)")
    }
}

extension NSIncrementalStore: RegistrationWatching {}
