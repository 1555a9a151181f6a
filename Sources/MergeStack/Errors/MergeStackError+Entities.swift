import CoreData

extension MergeStackError {
    /// An object is of another class than the caller expects.
    package static func wrongClass(
        _ object: NSManagedObject,
        _ expected: NSManagedObject.Type
    ) -> MergeStackError {
        MergeStackError(
            .wrongEntity,
            "The object is a \(Swift.type(of: object)), not a \(expected)."
        )
    }
}

extension NSManagedObjectModel {
    /// The entity with a name.
    ///
    /// - Throws: ``MergeStackError`` with the given code and the names that there are.
    package func entity(
        named name: String,
        orThrow code: MergeStackError.Code
    ) throws -> NSEntityDescription {
        let entities = entitiesByName
        if let entity = entities[name] { return entity }
        let names = entities.keys.sorted().joined(separator: ", ")
        throw MergeStackError(code, "The model has no entity \"\(name)\"; it has \(names).")
    }
}
