import Foundation

/// The entities that requests for parts of a history name, with the keys of their predicates.
enum HistoryEntities {
    /// In use from the start, so that predicates can be checked against it.
    static let layout: ModelLayout = {
        let transaction = NSEntityDescription()
        transaction.name = "TRANSACTION"
        transaction.properties =
            ["author", "bundleID", "contextName", "processID", "storeID"].map {
                attribute($0, .stringAttributeType)
            } + [
                attribute("timestamp", .dateAttributeType),
                attribute("transactionNumber", .integer64AttributeType),
                attribute("token", .undefinedAttributeType),
            ]
        let change = NSEntityDescription()
        change.name = "CHANGE"
        change.properties = [
            attribute("changeID", .integer64AttributeType),
            attribute("changeType", .integer64AttributeType),
            attribute("changedEntity", .stringAttributeType),
            attribute("changedObjectID", .objectIDAttributeType),
            attribute("tombstone", .undefinedAttributeType),
            attribute("updatedProperties", .undefinedAttributeType),
        ]
        let changes = NSRelationshipDescription(), owner = NSRelationshipDescription()
        changes.name = "changes"
        changes.destinationEntity = change
        changes.inverseRelationship = owner
        owner.name = "transaction"
        owner.destinationEntity = transaction
        owner.inverseRelationship = changes
        owner.maxCount = 1
        transaction.properties.append(changes)
        change.properties.append(owner)
        let model = NSManagedObjectModel()
        model.entities = [change, transaction]
        return model.layout
    }()

    static var transaction: NSEntityDescription? { layout.entitiesByName["TRANSACTION"]?.entity }
    static var change: NSEntityDescription? { layout.entitiesByName["CHANGE"]?.entity }

    static func request(
        for entity: NSEntityDescription?
    ) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        // No store holds these entities, and types such as that of IDs have no column.
        attribute.isTransient = true
        return attribute
    }
}

extension NSPersistentHistoryTransaction: KeyValueSource {
    func queryValue(for key: QueryKey) -> QueryValue? {
        guard HistoryEntities.layout.entitiesByName["TRANSACTION"]?.slot(of: key) != nil else {
            return nil
        }
        return QueryValue(value(forKey: key.name))
    }
    var queryIdentity: AnyHashable { AnyHashable(self) }
}

extension NSPersistentHistoryChange: KeyValueSource {
    func queryValue(for key: QueryKey) -> QueryValue? {
        guard HistoryEntities.layout.entitiesByName["CHANGE"]?.slot(of: key) != nil else {
            return nil
        }
        return QueryValue(value(forKey: key.name))
    }
    var queryIdentity: AnyHashable { AnyHashable(self) }
}
