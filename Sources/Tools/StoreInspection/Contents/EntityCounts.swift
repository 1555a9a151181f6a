import CoreData
import MergeStack

/// Counts what is in a stack's stores.
package enum EntityCounts {
    /// The number of objects of each entity, subentities not included, by the entities' names.
    ///
    /// - Throws: What counting throws.
    package static func counts(
        in stack: any ContextStack
    ) throws -> [(entity: String, count: Int)] {
        let entities = stack.coordinator.managedObjectModel.entities
        // An abstract entity has no objects of its own, and those of subentities count under their
        // own names.
        let names = entities.filter { !$0.isAbstract }.compactMap(\.name).sorted()
        return try stack.performBackgroundAndWait(saves: false) { context in
            try names.map { name in
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                return (name, try context.count(for: request))
            }
        }
    }
}
