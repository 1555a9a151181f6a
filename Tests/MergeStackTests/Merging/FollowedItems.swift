import CoreData

/// A results controller over items that has fetched them, and follows its context as it has a
/// delegate.
final class FollowedItems: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<NSManagedObject>
    /// How often the context's changes have changed the list.
    private(set) var changeCount = 0

    init(
        in context: NSManagedObjectContext,
        where predicate: NSPredicate? = nil,
        by order: [NSSortDescriptor]
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = predicate
        request.sortDescriptors = order
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        super.init()
        controller.delegate = self
        try controller.performFetch()
    }

    /// The items as they are listed now.
    var objects: [NSManagedObject] { controller.fetchedObjects ?? [] }

    /// Their names.
    var names: [String] { objects.map { $0.value(forKey: "name") as? String ?? "" } }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        changeCount += 1
    }
}
