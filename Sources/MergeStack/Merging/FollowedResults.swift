import CoreData

/// The results controllers that are to learn of updates of objects which main has as faults or
/// has not registered at all.
///
/// > Threading: The main queue.
final class FollowedResults: @unchecked Sendable {
    // @unchecked: touched on the main queue only.

    private struct Followed {
        /// Whether the controller is still alive.
        let isAlive: () -> Bool
        /// What it lists now.
        let request: () -> (entityName: String, predicate: NSPredicate?)?
    }
    private var followed: [Followed] = []

    func follow<Result: NSFetchRequestResult>(_ controller: NSFetchedResultsController<Result>) {
        weak let controller = controller
        followed.removeAll { !$0.isAlive() }
        followed.append(
            Followed {
                controller != nil
            } request: {
                guard let request = controller?.fetchRequest,
                    let name = request.entityName ?? request.entity?.name
                else { return nil }
                return (name, request.predicate)
            }
        )
    }

    /// Which of the updated objects are to be read, so that every controller sees them.
    ///
    /// - Complexity: A statement for each controller whose entity was updated.
    func updatedIDsToRead(
        _ updated: [NSManagedObjectID],
        in main: NSManagedObjectContext
    ) -> Set<NSManagedObjectID> {
        followed.removeAll { !$0.isAlive() }
        let entities = main.persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        var result = Set<NSManagedObjectID>()
        for request in followed.compactMap({ $0.request() }) {
            guard let entity = entities[request.entityName] else { continue }
            let concerned = updated.filter { $0.entity.isKindOf(entity: entity) }
            var unknown: [NSManagedObjectID] = []
            for id in concerned {
                switch main.registeredObject(for: id) {
                case nil: unknown.append(id)
                // Whether it matches or not: the controller may list it already, and has to learn
                // that it matches no more.
                case let object?: if object.isFault { result.insert(id) }
                }
            }
            result.formUnion(matches(of: request.predicate, entity.name ?? "", unknown, main))
        }
        return result
    }

    private func matches(
        of predicate: NSPredicate?,
        _ entityName: String,
        _ ids: [NSManagedObjectID],
        _ main: NSManagedObjectContext
    ) -> [NSManagedObjectID] {
        guard !ids.isEmpty else { return [] }
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entityName)
        request.resultType = .managedObjectIDResultType
        // None of them is registered, so the context has no pending changes to them.
        request.includesPendingChanges = false
        let isOneOf = NSPredicate(format: "SELF IN %@", ids)
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [isOneOf] + (predicate.map { [$0] } ?? [])
        )
        do {
            return try main.fetch(request)
        } catch {
            // A predicate that the store can't evaluate says nothing: all of them may match.
            return ids
        }
    }
}
