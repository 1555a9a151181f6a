import CoreData

extension NSManagedObjectModel {
    /// The entity with a name.
    ///
    /// - Throws: ``MergeStackError`` with the given code and the names that there are.
    func entity(
        named name: String,
        orThrow code: MergeStackError.Code
    ) throws -> NSEntityDescription {
        let entities = entitiesByName
        if let entity = entities[name] { return entity }
        let names = entities.keys.sorted().joined(separator: ", ")
        throw MergeStackError(code, "The model has no entity \"\(name)\"; it has \(names).")
    }

    /// The entity whose objects are of a class; of several that inherit from each other the topmost.
    ///
    /// - Throws: ``MergeStackError`` with the given code if there is none, or more than one.
    func entity(
        ofClass type: NSManagedObject.Type,
        orThrow code: MergeStackError.Code
    ) throws -> NSEntityDescription {
        func isOfClass(_ entity: NSEntityDescription) -> Bool {
            let name = entity.managedObjectClassName ?? ""
            // A name without its module is not always found by the runtime.
            return name == String(reflecting: type) || name == String(describing: type)
                || NSClassFromString(name) == type
        }
        let found = entities.filter { isOfClass($0) && $0.superentity.map(isOfClass) != true }
        guard let entity = found.first, found.count == 1 else {
            throw MergeStackError(
                code,
                "\(found.count) entities of the model have objects of class \(type); name the "
                    + "entity."
            )
        }
        return entity
    }
}
