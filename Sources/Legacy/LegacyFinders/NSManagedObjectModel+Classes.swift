import CoreData
import MergeStack

extension NSManagedObjectModel {
    /// The entity whose objects are of a class; of several that inherit from each other the topmost.
    ///
    /// - Throws: `MergeStackError` with code `wrongEntity` if there is none, or more than one.
    func entity(ofClass type: NSManagedObject.Type) throws -> NSEntityDescription {
        func isOfClass(_ entity: NSEntityDescription) -> Bool {
            let name = entity.managedObjectClassName ?? ""
            // A name without its module is not always found by the runtime.
            return name == String(reflecting: type) || name == String(describing: type)
                || NSClassFromString(name) == type
        }
        // Subentities may share the class: the topmost of them is meant, whose fetches find the
        // others' objects, too.
        let found = entities.filter { isOfClass($0) && $0.superentity.map(isOfClass) != true }
        guard let entity = found.first, found.count == 1 else {
            throw MergeStackError(
                .wrongEntity,
                "\(found.count) entities of the model have objects of class \(type); name the "
                    + "entity."
            )
        }
        return entity
    }
}
