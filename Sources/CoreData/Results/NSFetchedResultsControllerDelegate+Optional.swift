import Foundation

/// Calls of delegates as sources for Apple's framework write them, where the methods are optional:
/// `delegate?.controllerWillChangeContent?(controller)`.
///
/// All methods have defaults here, so that none of these is ever nil.
extension NSFetchedResultsControllerDelegate {
    /// `controllerWillChangeContent(_:)`, never nil.
    public var controllerWillChangeContent:
        ((NSFetchedResultsController<any NSFetchRequestResult>) -> Void)?
    { { self.controllerWillChangeContent($0) } }

    /// `controllerDidChangeContent(_:)`, never nil.
    public var controllerDidChangeContent:
        ((NSFetchedResultsController<any NSFetchRequestResult>) -> Void)?
    { { self.controllerDidChangeContent($0) } }

    /// The methods whose names begin with `controller`, never nil.
    public var controller: FetchedResultsDelegateMethods? { FetchedResultsDelegateMethods(self) }
}

/// What stands for `controller` in `delegate.controller?(controller, didChange: …)`.
///
/// > Threading: As its delegate.
public struct FetchedResultsDelegateMethods {
    private let delegate: any NSFetchedResultsControllerDelegate

    init(_ delegate: any NSFetchedResultsControllerDelegate) { self.delegate = delegate }

    /// Calls the delegate's `controller(_:didChangeContentWith:)` for snapshots.
    public func callAsFunction(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
        delegate.controller(controller, didChangeContentWith: snapshot)
    }

    /// Calls the delegate's `controller(_:didChangeContentWith:)` for differences.
    public func callAsFunction(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        delegate.controller(controller, didChangeContentWith: diff)
    }

    /// Calls the delegate's `controller(_:didChange:at:for:newIndexPath:)`.
    public func callAsFunction(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        delegate.controller(
            controller,
            didChange: anObject,
            at: indexPath,
            for: type,
            newIndexPath: newIndexPath
        )
    }

    /// Calls the delegate's `controller(_:didChange:atSectionIndex:for:)`.
    public func callAsFunction(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        delegate.controller(
            controller,
            didChange: sectionInfo,
            atSectionIndex: sectionIndex,
            for: type
        )
    }

    /// Calls the delegate's `controller(_:sectionIndexTitleForSectionName:)`.
    public func callAsFunction(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        delegate.controller(controller, sectionIndexTitleForSectionName: sectionName)
    }
}

@available(*, unavailable)
extension FetchedResultsDelegateMethods: Sendable {}
