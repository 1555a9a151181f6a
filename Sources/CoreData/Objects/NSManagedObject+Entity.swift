import Foundation

/// Entities by class.
extension NSManagedObject {
    /// `fetchRequest()`.
    static func baseFetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        guard let name = entity().name else { fatalError(withoutEntity) }
        return NSFetchRequest(entityName: name, of: self)
    }

    /// `entity()`. For a class of no model it is one without a name, as it is with Apple's framework.
    static func baseEntity() -> NSEntityDescription {
        if let entity = ClassEntities.entity(of: self) { return entity }
        FileHandle.standardError.write(Data("CoreData: error: \(withoutEntity)\n".utf8))
        return NSEntityDescription()
    }

    /// The entity of an object that is made without saying of which.
    static func entityForObjectWithoutContext() -> NSEntityDescription {
        FileHandle.standardError.write(
            Data(
                "CoreData: error: Failed to call designated initializer on NSManagedObject class "
                    .appending("'\(self)': use init(context:) or init(entity:insertInto:).\n").utf8
            )
        )
        if let entity = ClassEntities.entity(of: self) { return entity }
        return lonelyModels.withLock { models in
            if let entity = models[ObjectIdentifier(self)]?.entities.first { return entity }
            let entity = NSEntityDescription(), model = NSManagedObjectModel()
            entity.name = "\(self)"
            model.entities = [entity]
            models[ObjectIdentifier(self)] = model
            return entity
        }
    }

    /// The models of entities without properties: entities don't keep their models. One for a class.
    private static let lonelyModels = Locked<[ObjectIdentifier: NSManagedObjectModel]>([:])

    private static var withoutEntity: String {
        "No NSManagedObjectModel in use has an entity whose class is \(self): load the store, or "
            + "name the entity in the request."
    }
}
