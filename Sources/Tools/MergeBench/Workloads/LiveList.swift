import CoreData

/// A results controller on main and a delegate that does what a screen's would.
///
/// > Threading: On the main queue.
final class LiveList: NSObject, NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<NSManagedObject>
    private let clock: Clock
    /// When the list changed last, in seconds of the clock.
    private(set) var lastChange = 0.0
    /// How many times it changed.
    private(set) var changeCount = 0
    private var drawnTextCount = 0

    /// Fetches what is there and begins to follow.
    ///
    /// - Parameters:
    ///   - categoryCount: The items of the categories below this are listed.
    ///   - context: The main context.
    ///   - clock: Tells when a change came.
    init(categoriesBelow categoryCount: Int, in context: NSManagedObjectContext, clock: Clock)
        throws
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        if categoryCount < Item.categoryCount {
            request.predicate = NSPredicate(format: "category < %d", categoryCount)
        }
        request.sortDescriptors = [
            // Names repeat: only with the number is the order, and so the checksum, the same in all
            // layouts.
            NSSortDescriptor(key: "name", ascending: true),
            NSSortDescriptor(key: "number", ascending: true),
        ]
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        self.clock = clock
        super.init()
        controller.delegate = self
        try controller.performFetch()
    }

    /// The objects in the list's order.
    var objects: [NSManagedObject] { controller.fetchedObjects ?? [] }

    /// Draws a row, as a table does for each one that comes or changes.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange object: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        guard type != .delete, let object = object as? NSManagedObject else { return }
        // Reads the value as a cell would, which fires the object if a merge has left it a fault.
        drawnTextCount &+= object.text("name").utf8.count
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        changeCount += 1
        lastChange = clock.seconds
    }
}
