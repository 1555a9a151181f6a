import CoreData
import MergeStack

/// A question for objects whose answer is a table: keys as columns, a row for each object.
package struct ObjectQuery {
    /// The entity whose objects are asked for.
    package var entityName: String
    /// What the objects must satisfy; nil for all.
    package var predicate: NSPredicate?
    /// The order, as key paths; one that begins with `-` is descending.
    package var sortKeys: [String]
    /// How many objects at most; 0 for all.
    package var limit: Int
    /// The columns, as key paths over to-one relationships; those of the entity if empty: first its
    /// key attribute, then its attributes and to-one relationships by name.
    package var columns: [String]

    /// Makes a query.
    package init(
        entityName: String,
        predicate: NSPredicate? = nil,
        sortKeys: [String] = [],
        limit: Int = 0,
        columns: [String] = []
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortKeys = sortKeys
        self.limit = limit
        self.columns = columns
    }

    /// An answer, or a page of one.
    package struct Table {
        /// The key paths.
        package var columns: [String]
        /// The values; an object at the end of a relationship is shown by its key attribute.
        package var rows: [[Any?]]
    }

    /// Asks a context, on its queue, and hands the answer on page by page. What the context has
    /// registered is forgotten after each page.
    ///
    /// - Parameters:
    ///   - pageSize: How many rows a page has at most.
    ///   - body: Called for each page; once with no rows if there is none.
    /// - Throws: `MergeStackError` with code `invalidMapping` if there is no such entity or key;
    ///   what the fetches and `body` throw.
    /// - Complexity: The objects of a page in memory, and the object IDs of all rows.
    package func forEachPage(
        of pageSize: Int = 1_000,
        in context: NSManagedObjectContext,
        _ body: (Table) throws -> Void
    ) throws {
        try forEachPage(of: pageSize, in: context, forgets: true, body)
    }

    private func forEachPage(
        of pageSize: Int,
        in context: NSManagedObjectContext,
        forgets: Bool,
        _ body: (Table) throws -> Void
    ) throws {
        let entity = try entity(in: context)
        let columns = try resolvedColumns(of: entity)
        let names = columns.map(\.name)
        // IDs first: pages by offsets would make the store sort all rows again for each of them.
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entityName)
        request.resultType = .managedObjectIDResultType
        request.predicate = predicate
        request.fetchLimit = limit
        request.sortDescriptors = try sortDescriptors(of: entity)
        let ids = try context.fetch(request)
        guard !ids.isEmpty else { return try body(Table(columns: names, rows: [])) }
        for start in stride(from: 0, to: ids.count, by: pageSize) {
            let page = Array(ids[start..<min(start + pageSize, ids.count)])
            try body(Table(columns: names, rows: try rows(of: page, columns, in: context)))
            if forgets { context.reset() }
        }
    }

    /// How many objects there are, whatever the limit.
    package func count(in context: NSManagedObjectContext) throws -> Int {
        _ = try entity(in: context)
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = predicate
        return try context.count(for: request)
    }

    /// Asks a context, on its queue, for all rows at once.
    package func table(in context: NSManagedObjectContext) throws -> Table {
        var table = Table(columns: [], rows: [])
        try forEachPage(of: 1_000, in: context, forgets: false) { page in
            table.columns = page.columns
            table.rows += page.rows
        }
        return table
    }

    // MARK: Parts

    func entity(in context: NSManagedObjectContext) throws -> NSEntityDescription {
        let model = context.persistentStoreCoordinator?.managedObjectModel ?? NSManagedObjectModel()
        return try model.entity(named: entityName, orThrow: .invalidMapping)
    }

    private func resolvedColumns(of entity: NSEntityDescription) throws -> [QueryColumn] {
        guard !columns.isEmpty else { return try QueryColumn.all(of: entity) }
        return try columns.map { try QueryColumn($0, of: entity) }
    }

    private func rows(
        of ids: [NSManagedObjectID],
        _ columns: [QueryColumn],
        in context: NSManagedObjectContext
    ) throws -> [[Any?]] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = NSPredicate(format: "SELF IN %@", ids)
        // Every value is read below, so no object need be a fault first.
        request.returnsObjectsAsFaults = false
        request.relationshipKeyPathsForPrefetching = columns.compactMap(\.relationshipPath)
        let objects = try context.fetch(request)
        // What others have deleted since the IDs were read is left out.
        let byID = Dictionary(uniqueKeysWithValues: objects.map { ($0.objectID, $0) })
        return ids.compactMap { id in
            byID[id].map { object in columns.map { $0.value(of: object) } }
        }
    }

    private func sortDescriptors(of entity: NSEntityDescription) throws -> [NSSortDescriptor] {
        try sortKeys.map { key in
            let isAscending = !key.hasPrefix("-")
            let path = isAscending ? key : String(key.dropFirst())
            // A key that the entity lacks is an exception in Apple's framework, which ends the
            // program.
            let column = try QueryColumn(path, of: entity)
            guard column.attribute != nil, column.keyPath == path else {
                throw MergeStackError(
                    .invalidMapping,
                    "\(entity.name ?? "") can't be sorted by \"\(path)\", which is an object: name "
                        + "an attribute of it."
                )
            }
            return NSSortDescriptor(key: path, ascending: isAscending)
        }
    }
}
