import CoreData
import MergeExchange
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

    /// Makes a query.
    package init(
        entityName: String,
        predicate: NSPredicate? = nil,
        sortKeys: [String] = [],
        limit: Int = 0
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.sortKeys = sortKeys
        self.limit = limit
    }

    /// An answer.
    package struct Table {
        /// The keys: first the entity's key attribute, then its attributes and to-one
        /// relationships by name.
        package var columns: [String]
        /// The values; an object at the end of a relationship is shown by its key attribute.
        package var rows: [[Any?]]
    }

    /// Asks a context, on its queue.
    ///
    /// - Throws: `MergeStackError` with code `invalidMapping` if there is no such entity or sort
    ///   key; what the fetch throws.
    package func table(in context: NSManagedObjectContext) throws -> Table {
        let model = context.persistentStoreCoordinator?.managedObjectModel ?? NSManagedObjectModel()
        let entity = try model.entity(named: entityName, orThrow: .invalidMapping)
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = predicate
        request.fetchLimit = limit
        request.returnsObjectsAsFaults = false
        request.sortDescriptors = try sortKeys.map { key in
            let isAscending = !key.hasPrefix("-")
            let path = isAscending ? key : String(key.dropFirst())
            try Self.checkIsAttribute(path, of: entity)
            return NSSortDescriptor(key: path, ascending: isAscending)
        }
        let columns = try Self.columns(of: entity)
        let rows = try context.fetch(request).map { object in columns.map { $0.value(of: object) } }
        return Table(columns: columns.map(\.name), rows: rows)
    }

    // MARK: Columns

    private struct Column {
        let name: String
        /// The destination's key attribute; nil for attributes.
        let relatedKey: String?
        let isRelationship: Bool

        func value(of object: NSManagedObject) -> Any? {
            guard isRelationship else { return object.value(forKey: name) }
            let related = object.value(forKey: name) as? NSManagedObject
            guard let relatedKey else {
                return related?.objectID.uriRepresentation().absoluteString
            }
            return related?.value(forKey: relatedKey)
        }
    }

    private static func columns(of entity: NSEntityDescription) throws -> [Column] {
        let attributes = entity.attributesByName.keys.sorted()
            .map { Column(name: $0, relatedKey: nil, isRelationship: false) }
        let relationships = try entity.relationshipsByName.values
            .filter { !$0.isToMany }
            .sorted { $0.name < $1.name }
            .map { relationship in
                let key = try relationship.destinationEntity.flatMap {
                    try EntityMapping.primaryName(of: $0)
                }
                return Column(name: relationship.name, relatedKey: key, isRelationship: true)
            }
        let primary = try EntityMapping.primaryName(of: entity)
        return attributes.filter { $0.name == primary } + attributes.filter { $0.name != primary }
            + relationships
    }

    private static func checkIsAttribute(_ path: String, of entity: NSEntityDescription) throws {
        var current = entity
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (index, key) in keys.enumerated() {
            if index == keys.count - 1, current.attributesByName[key] != nil { return }
            let next = current.relationshipsByName[key]
            guard index < keys.count - 1, let next, !next.isToMany,
                let destination = next.destinationEntity
            else {
                let names = current.attributesByName.keys.sorted().joined(separator: ", ")
                throw MergeStackError(
                    .invalidMapping,
                    "\(current.name ?? "") can't be sorted by \"\(key)\"; its attributes are "
                        + "\(names)."
                )
            }
            current = destination
        }
    }
}
