/// The entities of the models in use, by the classes that they name.
enum ClassEntities {
    /// `nil` for `NSManagedObject` itself, which stands for classes that the process lacks.
    static func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        if type == NSManagedObject.self { return nil }
        for model in ModelsInUse.latestFirst {
            if let entity = entity(of: type, in: model.layout) { return entity }
        }
        return nil
    }

    /// The entity of one model that names a class.
    static func entity(
        of type: NSManagedObject.Type,
        in layout: ModelLayout
    ) -> NSEntityDescription? {
        let found = layout.entities.first { layout in
            // Entities that name no class of their own don't claim the base class.
            layout.objectClassName != "NSManagedObject"
                && ManagedObjectClass.resolve(layout) == type
        }
        return found?.entity
    }
}
