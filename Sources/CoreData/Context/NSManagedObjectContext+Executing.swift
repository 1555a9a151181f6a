import Foundation

/// Requests of all kinds.
extension NSManagedObjectContext {
    /// `execute(_:)`.
    @discardableResult
    func baseExecute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        switch request {
        // By protocols, where the request is generic: a cast to the class is exact in its
        // parameter.
        case let request as any ContextRequest: return try request.result(in: self)
        case let request as any AnyAsynchronousFetchRequest: return try request.start(in: self)
        case let request as NSBatchInsertRequest:
            return NSBatchInsertResult(try insert(request), request.resultType)
        case let request as NSBatchUpdateRequest:
            return NSBatchUpdateResult(try update(request), request.resultType)
        case let request as NSBatchDeleteRequest:
            return NSBatchDeleteResult(try delete(request), request.resultType)
        default:
            throw CocoaError.unsupportedRequest(
                String(describing: type(of: request)),
                storeType: coordinator.persistentStores.first?.type ?? ""
            )
        }
    }

    /// The layout of the entity that a batch request names.
    func batchLayout(_ entity: NSEntityDescription?, _ name: String) throws -> EntityLayout {
        let name = entity?.name ?? name
        guard let layout = coordinator.modelLayout.entitiesByName[name] else {
            throw CocoaError.coreData(
                "There is no entity named \"\(name)\" in the model of the context's coordinator; "
                    + "check the entity of the batch request."
            )
        }
        return layout
    }

    /// The stores that a batch request goes to.
    ///
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` if one of them can't do it.
    func batchStores(
        _ layout: EntityLayout,
        _ request: NSPersistentStoreRequest
    ) throws -> [any BatchStore] {
        let stores = coordinator.rowStores(holding: layout).filter { store in
            request.affectedStores?.contains { $0 === store } ?? true
        }
        guard !stores.isEmpty else { throw CocoaError.noStore(forEntity: layout.name) }
        // All are asked before any is changed: one that has no batches refuses the whole request.
        return try stores.map { store in
            guard let store = store.batches else {
                throw CocoaError.unsupportedRequest(
                    String(describing: type(of: request)),
                    storeType: store.type
                )
            }
            return store
        }
    }

    /// Changes a store, and tells so; the IDs of the rows.
    private func changing(
        _ store: any BatchStore,
        _ body: (any BatchStore) throws -> [RowReference]
    ) rethrows -> [NSManagedObjectID] {
        let references = try body(store)
        if let ledger = store.ledger { note(references, ledger) }
        coordinator.postRemoteChange(of: store)
        return references.map { objectID($0, in: store.identity) }
    }

    // MARK: Delete

    private func delete(_ request: NSBatchDeleteRequest) throws -> [NSManagedObjectID] {
        let fetch = request.fetchRequest
        if let ids = request.objectIDs {
            guard let first = ids.first else { return [] }
            let layout = try batchLayout(first.layout.entity, "")
            let root = coordinator.modelLayout.entities[layout.rootIndex]
            guard ids.allSatisfy({ $0.layout.rootName == root.name }) else {
                throw CocoaError.coreData(
                    "A batch delete takes object IDs of one entity and its relatives: make one "
                        + "request for each entity."
                )
            }
            // For the root entity: the IDs may be of any entity in the tree, and its rows have
            // their keys in common.
            return try batchStores(root, request).flatMap { store in
                var plan = FetchPlan(layout: root)
                plan.primaryKeys = ids.filter { $0.persistentStore === store && !$0.isTemporaryID }
                    .map(\.primaryKey)
                return try changing(store) { try $0.delete(plan, origin: batchOrigin) }
            }
        }
        let plan = try plan(fetch)
        return try batchStores(plan.layout, request).flatMap { store in
            try changing(store) { try $0.delete(plan, origin: batchOrigin) }
        }
    }

    // MARK: Update

    private func update(_ request: NSBatchUpdateRequest) throws -> [NSManagedObjectID] {
        let layout = try batchLayout(request.storedEntity, request.entityName)
        request.storedEntity = layout.entity
        let plan = FetchPlan(
            layout: layout,
            includesSubentities: request.includesSubentities,
            predicate: request.predicate
        )
        let values = try (request.propertiesToUpdate ?? [:]).map { key, value in
            let name = (key.base as? NSPropertyDescription)?.name ?? key.base as? String ?? "\(key)"
            let slot = try BatchValues.slot(name, layout)
            return (name: name, slot: slot, value: value)
        }
        // The order of a dictionary differs from run to run, and that of a statement should not.
        .sorted { $0.name < $1.name }
        return try batchStores(layout, request).flatMap { store in
            let batch = BatchUpdate(
                plan: plan,
                values: try values.map { _, slot, value in
                    (slot, try BatchValues.updateValue(value, slot, layout, store))
                },
                origin: batchOrigin
            )
            return try changing(store) { try $0.update(batch) }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// `execute(_:with:)`.
    func baseExecute(
        _ request: NSPersistentStoreRequest,
        with context: NSManagedObjectContext
    ) throws -> Any {
        if let fetch = request as? any AnyFetchRequest { return try context.baseFetch(of: fetch) }
        return try context.execute(request)
    }
}
