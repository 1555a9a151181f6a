// swift-format-ignore-file: NeverForceUnwrap

import CoreData
import Foundation

/// The books by initial, as a table view would show them. It follows the results controller change
/// by change, so its rows are wrong if one is missing.
class BookListController: NSObject {
    private(set) var rows: [[String]] = []
    private(set) var updateCount = 0
    private let resultsController: NSFetchedResultsController<Book>

    private var deletedSections = IndexSet()
    private var insertedSections = IndexSet()
    private var deletedRows: [IndexPath] = []
    private var insertedRows: [IndexPath] = []

    init(context: NSManagedObjectContext, predicate: NSPredicate? = nil) {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = [
            NSSortDescriptor(
                key: "title",
                ascending: true,
                selector: Selector(("localizedCaseInsensitiveCompare:"))
            ),
            NSSortDescriptor(keyPath: \Book.isbn, ascending: true),
        ]
        request.fetchBatchSize = 20
        resultsController = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: "initial",
            cacheName: nil
        )
        super.init()
        resultsController.delegate = self
        do {
            try resultsController.performFetch()
        } catch {
            fatalError("Failed to fetch: \(error)")
        }
        rows = currentRows
    }

    func book(at indexPath: IndexPath) -> Book {
        return resultsController.object(at: indexPath)
    }

    func delete(at indexPath: IndexPath) {
        let book = resultsController.object(at: indexPath)
        resultsController.managedObjectContext.delete(book)
    }

    /// What the results controller says now.
    var currentRows: [[String]] {
        let sections = resultsController.sections ?? []
        return sections.map { section in (section.objects as! [Book]).map { $0.title } }
    }
}

extension BookListController: NSFetchedResultsControllerDelegate {
    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) {
        deletedSections = IndexSet()
        insertedSections = IndexSet()
        deletedRows = []
        insertedRows = []
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .insert: insertedSections.insert(sectionIndex)
        case .delete: deletedSections.insert(sectionIndex)
        default: break
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert:
            insertedRows.append(newIndexPath!)
        case .delete:
            deletedRows.append(indexPath!)
        case .update:
            updateCount += 1
            deletedRows.append(indexPath!)
            insertedRows.append(newIndexPath ?? indexPath!)
        case .move:
            deletedRows.append(indexPath!)
            insertedRows.append(newIndexPath!)
        @unknown default:
            break
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>)
    {
        for path in deletedRows.sorted(by: >) { rows[path.section].remove(at: path.item) }
        for section in deletedSections.reversed() { rows.remove(at: section) }
        for section in insertedSections { rows.insert([], at: section) }
        for path in insertedRows.sorted() {
            let book = resultsController.object(at: path)
            rows[path.section].insert(book.title, at: path.item)
        }
    }
}
