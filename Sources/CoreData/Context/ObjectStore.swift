/// A store whose subclasses, which are clients' code, speak of objects: Apple's API for them does.
///
/// > Threading: Any thread. Client code runs on the queue of the context that made the request.
protocol ObjectStore: RowStore {
    /// Gives new objects their keys.
    ///
    /// - Throws: What the client's code throws.
    func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64]

    /// Writes a save; as `write(_:beforeCommit:)`, but with the objects that the rows are of, those
    /// included of which only relationships to many changed.
    func write(
        _ changes: StoreChangeSet,
        of objects: ChangeSet<NSManagedObject>,
        beforeCommit: () throws -> Void
    ) throws
}

extension ObjectStore {
    var objectStore: (any ObjectStore)? { self }

    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        fatalError("A store that knows rows by identifiers is asked for them by object.")
    }

    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        fatalError("A store of a client's class is given objects along with the rows.")
    }
}

extension ObjectStore {
    /// The keys of the store's rows.
    var keys: ReferenceKeys {
        guard let keys = identity.references else {
            fatalError("A store of a client's class has identifiers of its own.")
        }
        return keys
    }

    /// The compiled form of an entity in the coordinator's model.
    func layout(of entity: NSEntityDescription) -> EntityLayout {
        guard let layout = persistentStoreCoordinator?.modelLayout[entity] else {
            fatalError(
                "The entity \(entity.name ?? "") is not in the model of the store's coordinator, or "
                    + "the store has none: make object IDs while the store is added."
            )
        }
        return layout
    }

    /// The ID of a row that the store knows by `reference`.
    func makeObjectID(_ entity: NSEntityDescription, _ reference: Any) -> NSManagedObjectID {
        guard let identifier = RowIdentifier(reference) else {
            fatalError(
                "The reference object of a \(entity.name ?? "") must be a string, an integer or a "
                    + "UUID, not \(Swift.type(of: reference))."
            )
        }
        let layout = layout(of: entity)
        return NSManagedObjectID(
            layout: layout,
            storeIdentity: identity,
            primaryKey: keys.key(identifier, layout)
        )
    }

    func objectID(_ layout: EntityLayout, _ primaryKey: Int64) -> NSManagedObjectID {
        NSManagedObjectID(layout: layout, storeIdentity: identity, primaryKey: primaryKey)
    }

    /// What the store knows a row by.
    func identifier(of objectID: NSManagedObjectID) -> Any {
        guard objectID.storeIdentity === identity,
            let reference = keys.reference(objectID.primaryKey)
        else {
            fatalError(
                "\(objectID.uriRepresentation()) is no permanent ID of this store, and so has no "
                    + "reference object."
            )
        }
        return reference.anyValue
    }
}
