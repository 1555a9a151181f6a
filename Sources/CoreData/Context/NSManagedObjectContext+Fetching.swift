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
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        let results = try execute(request as any AnyFetchRequest)
        return try TypedResults.cast(results, to: T.self)
    }

    /// The number of objects that a request asks for, its limit and offset applied.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        try count(request as any AnyFetchRequest)
    }

    /// What a fetch gives, before it is cast to the request's type.
    enum FetchResults {
        case objects([NSManagedObject])
        case other([Any])
    }

    func execute(_ request: any AnyFetchRequest) throws -> FetchResults {
        checkQueue()
        if request.resultType.contains(.countResultType) {
            return .other([NSNumber(value: try count(request))])
        }
        if request.resultType.contains(.dictionaryResultType) {
            return .other(try dictionaries(request))
        }
        if request.resultType.contains(.managedObjectIDResultType) {
            return .other(try objectIDs(request))
        }
        let objects = try objects(request)
        if !request.returnsObjectsAsFaults {
            for object in objects { object.fireIfFault() }
        }
        return .objects(objects)
    }

    // MARK: Plans

    /// A request in terms of rows.
    func plan(_ request: any AnyFetchRequest) throws -> FetchPlan {
        adoptPromotions()
        return FetchPlan(
            layout: try layout(of: request),
            includesSubentities: request.includesSubentities,
            predicate: request.predicate,
            sortDescriptors: request.sortDescriptors ?? [],
            limit: request.fetchLimit,
            offset: request.fetchOffset
        )
    }

    private func layout(of request: any AnyFetchRequest) throws -> EntityLayout {
        if let entity = request.entity { return layout(of: entity) }
        guard let name = request.entityName else {
            preconditionFailure("A fetch request must have an entity.")
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
        return stores.filter { store in affected.contains { $0 === store } }
    }

    // MARK: Objects

    private func objects(_ request: any AnyFetchRequest) throws -> [NSManagedObject] {
        let plan = try plan(request)
        let stores = stores(plan, request)
        let changed = request.includesPendingChanges ? changedObjects(plan) : []
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
        let rows = try store.rows(plan)
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(rows.count)
        for row in rows {
            let object = object(row, in: store)
            if refreshing, let known = object.row, known.version < row.version {
                refreshMerging(object, row)
            }
            objects.append(object)
        }
        return objects
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
            result.removeAll { replaced.contains(ObjectIdentifier($0)) }
            result += changed.filter { object in
                !object.flags.contains(.deleted) && (evaluator?.evaluate(object) ?? true)
            }
        }
        result.sort(by: ObjectOrder(plan.sortDescriptors).isAscending)
        let start = min(plan.offset, result.count)
        let end = plan.limit > 0 ? min(start + plan.limit, result.count) : result.count
        return start == 0 && end == result.count ? result : Array(result[start..<end])
    }

    /// The objects of a plan's entities that the context has changed in any way.
    func changedObjects(_ plan: FetchPlan) -> [NSManagedObject] {
        guard hasChanges else { return [] }
        func isAskedFor(_ object: NSManagedObject) -> Bool {
            plan.includesSubentities
                ? plan.layout.contains(object.layout.index)
                : plan.layout.index == object.layout.index
        }
        return [(insertedList, ObjectFlags.inserted), (updatedList, .updated), (deletedList, .deleted)]
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

    func count(_ request: any AnyFetchRequest) throws -> Int {
        checkQueue()
        let plan = try plan(request)
        let stores = stores(plan, request)
        let changed = request.includesPendingChanges ? changedObjects(plan) : []
        if changed.isEmpty, stores.count == 1 { return try stores[0].count(plan) }
        return try overlaid(
            plan,
            stores,
            changed,
            refreshing: request.shouldRefreshRefetchedObjects
        ).count
    }

    // MARK: Dictionaries

    /// Dictionaries come from the stores alone: unsaved changes do not show, as on Apple's
    /// platforms.
    private func dictionaries(_ request: any AnyFetchRequest) throws -> [NSDictionary] {
        let plan = try plan(request)
        let named = try (request.propertiesToFetch ?? defaultColumns(plan.layout)).map(column)
        let columns = ColumnPlan(
            columns: named.map(\.column),
            isDistinct: request.returnsDistinctResults,
            groupBy: try (request.propertiesToGroupBy ?? []).map { try column($0).name },
            having: request.havingPredicate
        )
        return try stores(plan, request).flatMap { store in
            try store.values(plan, columns: columns).map { values in
                let result = NSMutableDictionary()
                for (value, name) in zip(values, named.map(\.name)) {
                    guard let value else { continue }
                    if let reference = value as? RowReference {
                        result[name] = objectID(reference, in: store.identity)
                    } else {
                        result[name] = value
                    }
                }
                return result
            }
        }
    }

    private func defaultColumns(_ layout: EntityLayout) -> [Any] {
        (layout.attributeSlots + layout.toOneSlots).map { layout.slots[$0].name }
    }

    private func column(_ property: Any) throws -> (name: String, column: ColumnPlan.Column) {
        switch property {
        case let description as NSExpressionDescription:
            guard let expression = description.expression else {
                throw CocoaError.coreData(
                    "The expression description \"\(description.name)\" has no expression."
                )
            }
            if expression.expressionType == .evaluatedObject {
                return (description.name, .objectID)
            }
            return (
                description.name,
                .expression(expression, description.expressionResultType)
            )
        case let description as NSPropertyDescription:
            return (description.name, .keyPath(description.name))
        case let name as String where name == "objectID":
            return (name, .objectID)
        case let name as String:
            return (name, .keyPath(name))
        default:
            throw CocoaError.coreData(
                "propertiesToFetch and propertiesToGroupBy take names and property descriptions, "
                    + "not \(type(of: property))."
            )
        }
    }

    /// The content of a to-many relationship as the store holds it.
    func relatedObjects(_ object: NSManagedObject, _ slot: PropertySlot) -> [NSManagedObject] {
        guard let store = object.registry.store else { return [] }
        do {
            return try store.related(object.layout, slot, object.primaryKey).map {
                self.object($0, in: store)
            }
        } catch {
            // As with attributes: objects of a store that was removed read as empty.
            if source.rowStore(store.identity) == nil { return [] }
            preconditionFailure(
                "The relationship \(object.layout.name).\(slot.name) could not be read: \(error)"
            )
        }
    }
}

/// Results in the type that the request names, without looking at each object where its class says
/// enough.
private enum TypedResults {
    static func cast<T>(
        _ results: NSManagedObjectContext.FetchResults,
        to type: T.Type
    ) throws -> [T] {
        switch results {
        case .objects(let objects):
            if let same = objects as? [T], T.self == NSManagedObject.self { return same }
            return try cast(objects)
        case .other(let values):
            return try cast(values)
        }
    }

    private static func cast<T>(_ values: [Any]) throws -> [T] {
        var result: [T] = []
        result.reserveCapacity(values.count)
        for value in values {
            guard let typed = value as? T else {
                throw CocoaError.coreData(
                    "The fetch request promises \(T.self), but the result is "
                        + "\(Swift.type(of: value)): check the class name of the entity in the "
                        + "model and the request's resultType."
                )
            }
            result.append(typed)
        }
        return result
    }
}

/// `FETCH` expressions execute their requests by this.
extension NSManagedObjectContext: FetchExecuting {
    func results(of request: any AnyFetchRequest) throws -> [Any] {
        switch try execute(request) {
        case .objects(let objects): objects
        case .other(let values): values
        }
    }

    func count(of request: any AnyFetchRequest) throws -> Int { try count(request) }
}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
