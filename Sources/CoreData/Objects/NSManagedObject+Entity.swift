import Foundation

/// Entities by class.
extension NSManagedObject {
    /// `fetchRequest()`.
    static func makeFetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        guard let name = entity().name else { fatalError(withoutEntity) }
        return NSFetchRequest(entityName: name, of: self)
    }

    /// `entity()`. For a class of no model it is one without a name, as it is with Apple's framework.
    static func entityOfClass() -> NSEntityDescription {
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

/// The entities of the models in use, by the classes that they name.
enum ClassEntities {
    private final class Reference {
        weak var model: NSManagedObjectModel?
        init(_ model: NSManagedObjectModel) { self.model = model }
    }
    private static let models = Locked<[Reference]>([])

    /// Notes a model that a coordinator uses.
    static func register(_ model: NSManagedObjectModel) {
        models.withLock { models in
            models.removeAll { $0.model == nil || $0.model === model }
            models.append(Reference(model))
        }
    }

    static func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        let known = models.withLock { $0.compactMap(\.model) }
        for model in known.reversed() {
            if let entity = entity(of: type, in: model.layout) { return entity }
        }
        return nil
    }

    /// The class of an entity's objects in the model that was used last of those that have it.
    static func objectClass(ofEntityNamed name: String) -> NSManagedObject.Type? {
        let known = models.withLock { $0.compactMap(\.model) }
        for model in known.reversed() {
            guard let layout = model.layout.entitiesByName[name] else { continue }
            return ManagedObjectClass.resolve(layout)
        }
        return nil
    }

    /// The entity of one model that names a class.
    static func entity(
        of type: NSManagedObject.Type,
        in layout: ModelLayout
    ) -> NSEntityDescription? {
        let found = layout.entities.first { layout in
            layout.objectClassName != "NSManagedObject"
                && ManagedObjectClass.resolve(layout) == type
        }
        return found?.entity
    }
}

extension NSManagedObjectContext {
    /// The entity of the context's model whose objects are of a class.
    func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
        ClassEntities.entity(of: type, in: coordinator.modelLayout) ?? type.entity()
    }
}

extension NSEntityDescription {
    /// `entity(forEntityName:in:)`.
    class func find(
        _ entityName: String,
        in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.coordinator.modelLayout.entitiesByName[entityName]?.entity
    }

    /// `insertNewObject(forEntityName:into:)`.
    class func insertObject(
        _ entityName: String,
        into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            fatalError(
                "could not locate an entity named '\(entityName)' in this model."
            )
        }
        return ManagedObjectClass.insert(entity, into: context)
    }
}
