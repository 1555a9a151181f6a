/// The rows of a fetch with a batch size, or of a to-many relationship, which are read a batch at
/// a time, when the first object of a batch is used.
///
/// > Threading: Confined to the context's queue.
final class BatchedFetch {
    let store: any RowStore
    let rootIndex: Int
    private let layout: EntityLayout
    private let primaryKeys: [Int64]
    private let size: Int
    private let prefetchedKeyPaths: [String]
    /// The relationship whose members the rows are; nil for a request.
    private let relationship: PropertySlot?
    /// Where each key is in `primaryKeys`; made when the first batch is read.
    private lazy var places = Dictionary(
        zip(primaryKeys, primaryKeys.indices),
        uniquingKeysWith: { first, _ in first }
    )

    /// - Parameters:
    ///   - primaryKeys: The keys of the request's rows, in its order.
    ///   - size: The number of rows in a batch, at least 1.
    init(
        _ plan: FetchPlan,
        in store: any RowStore,
        primaryKeys: [Int64],
        size: Int,
        prefetching prefetchedKeyPaths: [String],
        of relationship: PropertySlot? = nil
    ) {
        self.store = store
        self.primaryKeys = primaryKeys
        self.size = size
        self.prefetchedKeyPaths = prefetchedKeyPaths
        self.relationship = relationship
        layout = plan.layout
        rootIndex = plan.layout.rootIndex
    }

    /// Reads the batch that a row is in and hands the rows to the objects of a context.
    ///
    /// - Returns: The row; nil if it is not one of this fetch, or has been deleted since.
    func row(_ primaryKey: Int64, for context: NSManagedObjectContext) throws -> Row? {
        guard let place = places[primaryKey] else { return nil }
        // From now on members of this relationship are read together with their rows: whoever has
        // used those of one object mostly uses those of the next.
        if let relationship { context.readMembers.insert(ObjectIdentifier(relationship)) }
        // Aligned, so that whoever walks the list, in either direction, reads each batch once.
        let start = place - place % size
        var plan = FetchPlan(layout: layout)
        plan.primaryKeys = Array(primaryKeys[start..<min(start + size, primaryKeys.count)])
        let rows = try store.rows(plan)
        // This hands each row to its object, faults included.
        let objects = rows.map { context.object($0, in: store) }
        if !prefetchedKeyPaths.isEmpty { try context.prefetch(prefetchedKeyPaths, of: objects) }
        return rows.first { $0.primaryKey == primaryKey }
    }
}

/// The last such fetches of a context. What falls out has its rows read one by one.
struct BatchedFetches {
    private static let capacity = 16
    private var fetches: [BatchedFetch] = []

    mutating func add(_ fetch: BatchedFetch) {
        // Bounded, for each holds the keys of all rows that its request has found.
        if fetches.count == Self.capacity { fetches.removeFirst() }
        fetches.append(fetch)
    }

    mutating func removeAll() { fetches = [] }

    func row(of object: NSManagedObject, in context: NSManagedObjectContext) throws -> Row? {
        // The latest one first: most likely its list is the one that is being walked.
        for fetch in fetches.reversed()
        where fetch.store === object.registry.store && fetch.rootIndex == object.layout.rootIndex {
            if let row = try fetch.row(object.primaryKey, for: context) { return row }
        }
        return nil
    }
}

extension NSManagedObjectContext {
    /// The objects of a request with a batch size as faults whose rows are read a batch at a time.
    /// nil if all must be read at once: for what several stores hold, or unsaved changes are part
    /// of, or objects that show older values, only values tell the order.
    func batchedObjects(_ request: any AnyFetchRequest) throws -> [NSManagedObject]? {
        // A request that refreshes has to read its rows now, and one without values reads none.
        guard request.fetchBatchSize > 0, request.includesPropertyValues,
            !request.shouldRefreshRefetchedObjects
        else { return nil }
        let plan = try plan(request)
        let stores = stores(plan, request)
        guard stores.count == 1, !request.includesPendingChanges || changedObjects(plan).isEmpty
        else { return nil }
        let references = try stores[0].references(plan)
        let objects = references.map { object($0, in: stores[0]) }
        if !plan.sortDescriptors.isEmpty {
            guard !objects.contains(where: isOutdated), !showsOutdated(plan) else { return nil }
        }
        batchedFetches.add(
            BatchedFetch(
                plan,
                in: stores[0],
                primaryKeys: references.map(\.primaryKey),
                size: request.fetchBatchSize,
                prefetching: request.relationshipKeyPathsForPrefetching ?? []
            )
        )
        return objects
    }
}
