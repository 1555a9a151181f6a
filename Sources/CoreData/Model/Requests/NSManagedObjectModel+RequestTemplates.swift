import Foundation

extension NSFetchRequest {
    /// A copy, typed.
    func copied() -> Self {
        guard let copy = copy() as? Self else {
            fatalError("\(type(of: self)).copy() has to give an instance of its class.")
        }
        return copy
    }

    /// A copy that knows the entity of its name.
    func resolved(in model: NSManagedObjectModel) -> Self {
        let copy = copied()
        if copy.entity == nil, let name = entityName {
            copy.entity = model.entitiesByName[name]
        }
        return copy
    }
}
