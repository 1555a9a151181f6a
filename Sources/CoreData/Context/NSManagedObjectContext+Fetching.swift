import Foundation

/// Fetch requests. What the context has not saved is laid over what the stores hold.
extension NSManagedObjectContext {
    /// The objects (or IDs, numbers, dictionaries) that a request asks for.
    ///
    /// Unsaved changes count: objects inserted or changed here come if they satisfy the predicate
    /// now, deleted ones don't.
    ///
    /// - Throws: A sentence that names the part of the predicate or the sort descriptors that no
    ///   store can evaluate; what a store throws when it can't be read.
    /// - Complexity: One statement for each store. Objects that are registered already are not
    ///   made again.
    public func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T] {
        checkQueue("fetch(_:)")
        let results =
            isExtended
            ? .other(try fetch(request.erased)) : try execute(request as any AnyFetchRequest)
        return try TypedResults.cast(results, to: T.self, isChecked: !request.promisesAnyResult)
    }

    /// The number of objects that a request asks for, its limit and offset applied.
    public func count<T: NSFetchRequestResult>(for request: NSFetchRequest<T>) throws -> Int {
        checkQueue("count(for:)")
        return try isExtended
            ? count(for: request.erased) : baseCount(request as any AnyFetchRequest)
    }

    /// Whether the context is of a subclass, which may have something to say on requests of all
    /// types.
    private var isExtended: Bool { type(of: self) != NSManagedObjectContext.self }

    /// What a fetch gives, before it is cast to the request's type.
    enum FetchResults {
        case objects([NSManagedObject])
        case other([Any])
    }

    func execute(_ request: any AnyFetchRequest) throws -> FetchResults {
        checkQueue()
        // A store of a client's class is handed the context that asks. A plan does not name it: the
        // store finds it here.
        return try CurrentContext.inside(self) { try readingAll { try results(request) } }
    }

    private func results(_ request: any AnyFetchRequest) throws -> FetchResults {
        if request.resultType.contains(.countResultType) {
            return .other([NSNumber(value: try baseCount(request))])
        }
        if request.resultType.contains(.dictionaryResultType) {
            return .other(try dictionaries(request))
        }
        if request.resultType.contains(.managedObjectIDResultType) {
            return .other(try objectIDs(request))
        }
        if let objects = try batchedObjects(request) { return .objects(objects) }
        let objects = try objects(request)
        if let keyPaths = request.relationshipKeyPathsForPrefetching, !keyPaths.isEmpty {
            try prefetch(keyPaths, of: objects)
        }
        if !request.returnsObjectsAsFaults {
            for object in objects { object.fireIfFault() }
        }
        return .objects(objects)
    }

    // MARK: Plans

    /// More rows than a store can hold, and few enough to be added to: `Int.max` is how clients say
    /// that they want no limit.
    private static let largestWindow = 1 << 48

    /// A request in terms of rows.
    func plan(_ request: any AnyFetchRequest) throws -> FetchPlan {
        adoptPromotions()
        let layout = try layout(of: request)
        try DictionaryColumns.checkGrouping(of: request)
        return FetchPlan(
            layout: layout,
            includesSubentities: request.includesSubentities,
            predicate: request.predicate,
            sortDescriptors: request.sortDescriptors ?? [],
            limit: min(request.fetchLimit, Self.largestWindow),
            offset: min(request.fetchOffset, Self.largestWindow)
        )
    }

    private func layout(of request: any AnyFetchRequest) throws -> EntityLayout {
        if let entity = request.entity { return layout(of: entity) }
        guard let name = request.entityName else {
            fatalError("A fetch request must have an entity.")
        }
        guard let layout = coordinator.modelLayout.entitiesByName[name] else {
            throw CocoaError.coreData(
                "There is no entity named \"\(name)\" in the model of the context's coordinator; "
                    + "check the name of the fetch request."
            )
        }
        request.entity = layout.entity
        return layout
    }

    func stores(_ plan: FetchPlan, _ request: any AnyFetchRequest) -> [any RowStore] {
        let stores = source.rowStores(holding: plan.layout)
        guard let affected = request.affectedStores else { return stores }
        // By identity: a nested context sees each store through an object of its own.
        return stores.filter { store in affected.contains { $0.identity === store.identity } }
    }

    // MARK: Objects

    private func objects(_ request: any AnyFetchRequest) throws -> [NSManagedObject] {
        let plan = try plan(request)
        let stores = stores(plan, request)
        let changed = request.includesPendingChanges ? changedObjects(plan) : []
        // References are all that faults need, where values are not asked for or each row would
        // cost the store a request of its own.
        if changed.isEmpty, stores.count == 1, !request.shouldRefreshRefetchedObjects,
            !request.includesPropertyValues || stores[0].readsRowsOneByOne
        {
            return try stores[0].references(plan).map { object($0, in: stores[0]) }
        }
        if changed.isEmpty, stores.count == 1 {
            return try rows(plan, in: stores[0], refreshing: request.shouldRefreshRefetchedObjects)
        }
        return try overlaid(
            plan,
            stores,
            changed,
            refreshing: request.shouldRefreshRefetchedObjects
        )
    }

    private func rows(
        _ plan: FetchPlan,
        in store: any RowStore,
        refreshing: Bool
    ) throws -> [NSManagedObject] {
        if store.readsRowsOneByOne, !refreshing {
            return try store.references(plan).map { object($0, in: store) }
        }
        var objects: [NSManagedObject] = []
        var isOutdated = false, refreshed: [NSManagedObject] = []
        func take(_ rows: [Row]) {
            let first = objects.count
            append(rows, in: store, to: &objects)
            for (row, object) in zip(rows, objects[first...]) where !object.shows(row) {
                // Rows are shared by way of the cache: another instance is another state of the row.
                // Another context has saved since, and this one has not merged it yet; or a trigger
                // has changed a derived value, which raises no version.
                if refreshing, let known = object.row,
                    known.version <= row.version || object.registry.isNested
                {
                    refreshMerging(object, row)
                    refreshed.append(object)
                } else {
                    isOutdated = true
                }
            }
        }
        if makesPlainObjects(plan), !refreshing {
            try store.rows(plan, inBatches: take)
        } else {
            take(try store.rows(plan))
        }
        // Their rows may relate them to what is deleted here and not saved.
        applyDeleteRules(to: refreshed)
        if isOutdated || showsOutdated(plan) { sort(&objects, as: plan) }
        return objects
    }

    /// Whether no client's code runs while objects of a plan's entities are made.
    private func makesPlainObjects(_ plan: FetchPlan) -> Bool {
        let last = plan.includesSubentities ? plan.layout.lastDescendantIndex : plan.layout.index
        return (plan.layout.index...last).allSatisfy {
            ManagedObjectClass.isPlain(coordinator.modelLayout.entities[$0])
        }
    }

    /// What the stores hold, with the objects that this context has changed judged as they are
    /// here.
    func overlaid(
        _ plan: FetchPlan,
        _ stores: [any RowStore],
        _ changed: [NSManagedObject],
        refreshing: Bool
    ) throws -> [NSManagedObject] {
        var widened = plan
        widened.offset = 0
        // Each changed object may take one row of the store's out of the window.
        if plan.limit > 0 { widened.limit = plan.limit + plan.offset + changed.count }
        var result: [NSManagedObject] = []
        for store in stores {
            result += try rows(widened, in: store, refreshing: refreshing)
        }
        if !changed.isEmpty {
            if let predicate = plan.predicate {
                // An unknown key would stop the evaluation; a store may not have been asked.
                let model = coordinator.modelLayout
                try PredicateValidation(model: model, layout: plan.layout).check(predicate)
            }
            let evaluator = plan.predicate.map(PredicateEvaluator.init)
            let replaced = Set(changed.map(ObjectIdentifier.init))
            // What the store says of them is about values that they don't show any more.
            result.removeAll { replaced.contains(ObjectIdentifier($0)) }
            result += changed.filter { object in
                !object.flags.contains(.deleted) && (evaluator?.evaluate(object) ?? true)
            }
        }
        // In memory, for neither changed objects nor the rows of another store were in the store's
        // order.
        ObjectOrder(plan.sortDescriptors).sort(&result)
        let start = min(plan.offset, result.count)
        let end = plan.limit > 0 ? min(start + plan.limit, result.count) : result.count
        return start == 0 && end == result.count ? result : Array(result[start..<end])
    }

    /// The objects of a plan's entities that the context has changed in any way.
    func changedObjects(_ plan: FetchPlan) -> [NSManagedObject] {
        guard hasChanges else { return [] }
        // What a deletion does to others is part of the changes, as the end of the event would have it.
        if propagatesDeletesAtEndOfEvent, !pending.deleted.isEmpty, !isProcessingPendingChanges,
            !isSaving
        {
            propagateDeletes()
        }
        func isAskedFor(_ object: NSManagedObject) -> Bool {
            plan.includesSubentities
                ? plan.layout.contains(object.layout.index)
                : plan.layout.index == object.layout.index
        }
        return [
            (insertedList, ObjectFlags.inserted), (updatedList, .updated), (deletedList, .deleted),
        ]
        .flatMap { list, state in changed(list, state).filter(isAskedFor) }
    }

    private func objectIDs(_ request: any AnyFetchRequest) throws -> [NSManagedObjectID] {
        let plan = try plan(request)
        let stores = stores(plan, request)
        let changed = request.includesPendingChanges ? changedObjects(plan) : []
        guard changed.isEmpty, stores.count == 1 else {
            return try overlaid(
                plan,
                stores,
                changed,
                refreshing: request.shouldRefreshRefetchedObjects
            ).map(\.objectID)
        }
        return try stores[0].references(plan).map { objectID($0, in: stores[0].identity) }
    }

    func baseCount(_ request: any AnyFetchRequest) throws -> Int {
        checkQueue()
        if request.resultType.contains(.dictionaryResultType) {
            // Rows that are grouped, or the same in a distinct request, give one dictionary.
            return try dictionaries(request).count
        }
        let plan = try plan(request)
        let stores = stores(plan, request)
        let changed = request.includesPendingChanges ? changedObjects(plan) : []
        if changed.isEmpty, stores.count == 1 { return try stores[0].count(plan) }
        return try readingAll {
            try overlaid(
                plan,
                stores,
                changed,
                refreshing: request.shouldRefreshRefetchedObjects
            ).count
        }
    }
}

/// `FETCH` expressions execute their requests by this.
extension NSManagedObjectContext: FetchExecuting {
    func fetchedValue(of request: Any, countsOnly: Bool) throws -> QueryValue? {
        guard let request = request as? any AnyFetchRequest else { return nil }
        if countsOnly { return .integer(Int64(try baseCount(request))) }
        let results = try baseFetch(of: request)
        guard request.resultType.contains(.dictionaryResultType) else {
            return .collection(results.map { QueryValue($0) })
        }
        return .collection(
            results.map { result in
                guard let columns = result as? NSDictionary, columns.count == 1 else {
                    return QueryValue(result)
                }
                return QueryValue(columns.allValues[0])
            }
        )
    }
}

extension NSManagedObjectContext {
    /// What a request of any type gives.
    func baseFetch(of request: any AnyFetchRequest) throws -> [Any] {
        switch try execute(request) {
        case .objects(let objects): objects
        case .other(let values): values
        }
    }
}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
