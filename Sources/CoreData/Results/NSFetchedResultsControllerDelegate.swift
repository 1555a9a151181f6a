import Foundation

/// How an object or a section in the list of a results controller has changed.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It was inserted, or began to match.
    case insert = 1
    /// It was deleted, or no longer matches.
    case delete = 2
    /// It has changed and stands in another place.
    case move = 3
    /// It has changed and stands where it was.
    case update = 4
}

/// A section of a results controller.
public protocol NSFetchedResultsSectionInfo: AnyObject {
    /// The name: the value of the section key path as a string.
    var name: String { get }
    /// The title for an index of sections.
    var indexTitle: String? { get }
    /// The number of objects in the section.
    var numberOfObjects: Int { get }
    /// The objects in order.
    var objects: [Any]? { get }
}

/// Is told what changes in the list of a results controller.
///
/// Deletions, moves and updates name the place in the old list, insertions and the end of moves
/// that in the new one. Sections are reported before objects. The controller that is passed is of
/// type `NSFetchedResultsController<any NSFetchRequestResult>`; it is equal (`==`) to the one that
/// the delegate was set on, and shows the same list.
///
/// All methods have defaults, which do nothing. (With Apple's framework they are optional.)
///
/// > Threading: Called on the queue of the controller's context.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
    /// The list has changed, or was fetched. No other method is called on a delegate with this
    /// one.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    )
    /// The list of a controller without sections has changed. A delegate with this method hears
    /// nothing else of such a controller.
    ///
    /// A moved object is removed and inserted, each naming the other's place; so is one that has
    /// changed, at the place where it is.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    )
    /// An object came, went, moved or changed.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    )
    /// A section came or went.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    )
    /// Changes are about to be reported.
    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    )
    /// All changes have been reported.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    )
    /// The index title of a section; its capitalised first letter by default.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

extension NSFetchedResultsControllerDelegate {
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {}
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}
    public func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
    public func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        sectionName.first.map { String($0).uppercased() }
    }
}
