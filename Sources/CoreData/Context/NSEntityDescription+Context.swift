/// What Apple's API has entities do with a context.
extension NSEntityDescription {
    /// The entity of a name in the model of a context's coordinator.
    @discardableResult
    public class func entity(
        forEntityName entityName: String,
        in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.coordinator.modelLayout.entitiesByName[entityName]?.entity
    }

    /// Makes an object of the entity's class and inserts it into a context.
    ///
    /// - Precondition: The model of the context's coordinator has the entity.
    @discardableResult
    public class func insertNewObject(
        forEntityName entityName: String,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        context.checkQueue("insertNewObject(forEntityName:into:)")
        // Objects of one entity are mostly made one after the other.
        if let latest = context.latestNew, latest.name == entityName {
            return ManagedObjectClass.insert(latest.registry, into: context)
        }
        guard let entity = entity(forEntityName: entityName, in: context) else {
            // In the words of Apple's framework, which are what developers search for.
            fatalError(
                "could not locate an entity named '\(entityName)' in this model."
            )
        }
        if !entity.isAbstract {
            context.latestNew = (entityName, context.registry(forNew: entity))
        }
        return ManagedObjectClass.insert(entity, into: context)
    }
}

extension NSManagedObjectContext {
    /// The entity of the context's model whose objects are of a class.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
        ClassEntities.entity(of: type, in: coordinator.modelLayout) ?? type.entity()
    }
}
