import CoreData
import MergeStack

/// The books as the screen lists them, and what changes among them, whoever has saved it.
///
/// > Threading: On the main queue.
final class BookList: NSObject, NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<Book>
    private let say: (String) -> Void
    private var changes: [NSFetchedResultsChangeType: Int] = [:]

    init(_ stack: NotificationMergeStack, say: @escaping (String) -> Void) throws {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: stack.mainContext,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        self.say = say
        super.init()
        controller.delegate = self
        try controller.performFetch()
    }

    var books: [Book] { controller.fetchedObjects ?? [] }

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        changes = [:]
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        changes[type, default: 0] += 1
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        let words: [(NSFetchedResultsChangeType, String)] = [
            (.insert, "new"), (.update, "changed"), (.move, "moved"), (.delete, "gone"),
        ]
        let parts = words.compactMap { type, word in changes[type].map { "\($0) \(word)" } }
        say("The list: " + (parts + ["\(books.count) in all"]).joined(separator: ", ") + ".")
    }
}
