import CoreData
import MergeStack

/// Reads an entity's objects a page at a time, without leaving out or repeating any that others
/// leave alone.
///
/// A page begins with the last object of the one before. If that is not there, others have
/// inserted or deleted rows before it, and the place is looked for.
///
/// > Threading: On the context's queue; nothing of a page is used after the next one is read.
struct PageReader {
    private let request: NSFetchRequest<NSManagedObject>
    private let entityName: String
    private let pageSize: Int
    /// The place of the next object.
    private var offset = 0
    private var lastIDs: [NSManagedObjectID] = []

    init(_ entityName: String, _ options: ExportOptions, prefetching relationships: [String]) {
        self.entityName = entityName
        pageSize = options.pageSize
        request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = options.predicate
        request.sortDescriptors = options.sortDescriptors
        request.includesPendingChanges = false
        request.returnsObjectsAsFaults = false
        request.relationshipKeyPathsForPrefetching = relationships
    }

    /// The next objects; empty at the end.
    mutating func next(in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        var page: [NSManagedObject]
        if let last = lastIDs.last {
            page = try objects(from: offset - 1, pageSize + 1, in: context)
            if page.first?.objectID == last {
                page.removeFirst()
            } else {
                offset = try placeAfterLast(in: context)
                page = try objects(from: offset, pageSize, in: context)
            }
        } else {
            page = try objects(from: 0, pageSize, in: context)
        }
        offset += page.count
        if !page.isEmpty { lastIDs = page.map(\.objectID) }
        return page
    }

    private func objects(
        from offset: Int,
        _ limit: Int,
        in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        request.fetchOffset = offset
        request.fetchLimit = limit
        return try context.fetch(request)
    }

    /// Where the objects begin that come after those of the last page.
    private func placeAfterLast(in context: NSManagedObjectContext) throws -> Int {
        let places = NSFetchRequest<NSManagedObjectID>(entityName: entityName)
        places.resultType = .managedObjectIDResultType
        places.predicate = request.predicate
        places.sortDescriptors = request.sortDescriptors
        places.includesPendingChanges = false
        let known = Set(lastIDs)
        var reach = pageSize
        // As far as memory of some pages reaches: constant, but for how much it is.
        while reach <= 64 * pageSize {
            let start = max(offset - reach, 0)
            places.fetchOffset = start
            places.fetchLimit = 2 * reach
            let found = try context.fetch(places)
            // The last of them that is still there: what follows was not written yet.
            if let index = found.lastIndex(where: known.contains) { return start + index + 1 }
            reach *= 4
        }
        throw MergeStackError(
            .storeChanged,
            "So many rows of \(entityName) were deleted or inserted during the export that its "
                + "place was lost, and no file was written; try again."
        )
    }
}
