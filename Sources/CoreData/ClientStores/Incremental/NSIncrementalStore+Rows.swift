import Foundation

/// An incremental store as the coordinator uses it: what the store says of an object becomes a row.
extension NSIncrementalStore: ObjectStore {
    var readsRowsOneByOne: Bool { true }

    func open(model: ModelLayout, entities: [EntityLayout]) throws {
        try loadMetadata()
        // A store that has a UUID keeps it: URIs of its objects are made with it.
        if metadata?[NSStoreUUIDKey] == nil, let url {
            identifier = "\(Self.identifierForNewStore(at: url))"
        }
        try completeMetadata(entities)
        state.withLock { state in
            state = State()
            state.model = model
            state.members = model.entities.map { _ in false }
            for entity in entities { state.members[entity.index] = true }
            state.caches = model.entities.map { _ in RowCache() }
        }
    }

    func close() { state.withLock { $0.model = nil } }

    func holds(_ layout: EntityLayout) -> Bool {
        state.withLock { $0.members.indices.contains(layout.index) && $0.members[layout.index] }
    }

    func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64] {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        let ids = try obtainPermanentIDs(for: objects)
        // Objects get their IDs by place, so a wrong order would mix up their rows.
        let isComplete = zip(ids, objects).allSatisfy { id, object in
            id.storeIdentity === identity && id.layout === object.layout
        }
        guard ids.count == objects.count, isComplete else {
            throw wrongResult(
                "obtainPermanentIDs(for:) must return an ID of this store and of the object's "
                    + "entity for each object, in the same order"
            )
        }
        return ids.map(\.primaryKey)
    }

    /// A mistake of the client's store class.
    func wrongResult(_ what: String) -> CocoaError { .storeOperation(url, what) }

    // MARK: Rows

    func rows(_ plan: FetchPlan) throws -> [Row] {
        try references(plan).compactMap { reference in
            let layout = try model().entities[reference.entityIndex]
            // Each object that is asked for is a call of client code, which may wait for a network.
            if case .row(let row) = cachedRow(layout, reference.primaryKey) { return row }
            return try row(layout, reference.primaryKey)
        }
    }

    func row(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        let cache = try cache(layout)
        // A save by another context meanwhile may or may not be in what the store said.
        for _ in 0..<10 {
            let commits = cache.commitCount
            guard let node = try node(layout, primaryKey) else { return nil }
            let layout = try model().entities[node.objectID.layout.index]
            let row = try makeRow(node, layout, primaryKey)
            guard cache.commitCount == commits else { continue }
            cache.insert(row, readAt: commits)
            return row
        }
        throw wrongResult("an object changes faster than it can be read; try again")
    }

    func cachedRow(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry {
        state.withLock { state in
            state.caches.indices.contains(layout.rootIndex) ? state.caches[layout.rootIndex] : nil
        }?.entry(primaryKey) ?? .unknown
    }

    func invalidateRow(_ layout: EntityLayout, _ primaryKey: Int64) {
        // Invalidated outside the lock, under which the last reference to a row must not go.
        let cache = state.withLock { state in
            state.caches.indices.contains(layout.rootIndex) ? state.caches[layout.rootIndex] : nil
        }
        cache?.invalidate(primaryKey)
    }

    func model() throws -> ModelLayout {
        guard let model = state.withLock({ $0.model }) else {
            throw CocoaError.storeIsClosed(url)
        }
        return model
    }

    func cache(_ layout: EntityLayout) throws -> RowCache {
        try state.withLock { state in
            guard state.model != nil else { throw CocoaError.storeIsClosed(url) }
            return state.caches[layout.rootIndex]
        }
    }

    /// What the store says of an object; nil if there is none.
    private func node(
        _ layout: EntityLayout,
        _ primaryKey: Int64
    ) throws -> NSIncrementalStoreNode? {
        // Until a fetch shows it again, what was deleted here is gone, whatever the store still
        // says.
        if state.withLock({ $0.deletedKeys.contains(primaryKey) }) { return nil }
        do {
            return try inContext {
                try newValuesForObject(with: objectID(layout, primaryKey), with: $0)
            }
        } catch let error as CocoaError
            where error.code.rawValue == NSManagedObjectReferentialIntegrityError
        {
            return nil
        }
    }

    private func makeRow(
        _ node: NSIncrementalStoreNode,
        _ layout: EntityLayout,
        _ primaryKey: Int64
    ) throws -> Row {
        let values = try layout.slots.map { slot -> SlotValue in
            guard slot.kind.isInRow else { return .null }
            let value = node.values[slot.name]
            guard slot.kind == .toOne else {
                return try slot.rowValue(value, entity: layout, in: self)
            }
            // `NSNull` says that there is no object; no value at all says nothing, and the store is
            // asked.
            guard value == nil else { return try reference(value, slot) }
            return try reference(relationship(slot, layout, primaryKey), slot)
        }
        return Row.make(
            layout: layout,
            primaryKey: primaryKey,
            version: version(primaryKey, node.version),
            values: values
        )
    }

    /// The version of a row that was read: one above the last one, unless the store says that it
    /// is the same.
    private func version(_ primaryKey: Int64, _ node: UInt64) -> Int32 {
        state.withLock { state in
            guard let known = state.versions[primaryKey] else {
                state.versions[primaryKey] = RowVersion(row: 1, node: node)
                return 1
            }
            // After a save only the store knows its own number: the first one that it tells belongs
            // to the row that was saved.
            let isSame = known.node == nil || known.node == node
            let row = isSame ? known.row : known.row &+ 1
            state.versions[primaryKey] = RowVersion(row: row, node: node)
            return row
        }
    }

    // MARK: Relationships

    func related(
        _ layout: EntityLayout,
        _ slot: PropertySlot,
        _ primaryKey: Int64
    ) throws -> [RowReference] {
        let value = try relationship(slot, layout, primaryKey)
        let content: [Any] =
            switch value {
            case is NSNull: []
            case let array as [Any]: array
            case let set as NSSet: set.allObjects
            case let ordered as NSOrderedSet: ordered.array
            default: [value]
            }
        return try content.compactMap { element in
            if case .reference(let reference) = try reference(element, slot) { return reference }
            return nil
        }
    }

    private func relationship(
        _ slot: PropertySlot,
        _ layout: EntityLayout,
        _ primaryKey: Int64
    ) throws -> Any {
        guard let relationship = slot.property as? NSRelationshipDescription else {
            fatalError("The property \(slot.name) is no relationship.")
        }
        return try inContext {
            try newValue(
                forRelationship: relationship,
                forObjectWith: objectID(layout, primaryKey),
                with: $0
            )
        }
    }

    private func reference(_ value: Any?, _ slot: PropertySlot) throws -> SlotValue {
        switch value {
        case nil, is NSNull: return .null
        case let id as NSManagedObjectID:
            guard id.storeIdentity === identity,
                try model().entities[slot.destinationIndex].contains(id.layout.index)
            else { break }
            return .reference(
                RowReference(entityIndex: id.layout.index, primaryKey: id.primaryKey)
            )
        default: break
        }
        throw wrongResult(
            "the relationship \(slot.name) must be given as IDs of this store and of its "
                + "destination entity, or NSNull"
        )
    }

    // MARK: Context

    /// Runs client code with the context that asks; with one of its own where nobody does.
    func inContext<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
        guard let coordinator = persistentStoreCoordinator else {
            throw CocoaError.storeIsClosed(url)
        }
        if let current = CurrentContext.innermost,
            current.persistentStoreCoordinator === coordinator
        {
            return try body(current)
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.basePerformAndWait { try body(context) }
    }
}
