import Foundation

/// Telling delegates. As documented, a delegate that takes snapshots hears nothing else, and one
/// that takes differences hears nothing else if there are no sections.
extension NSFetchedResultsController {
    func follow() {
        // Another delegate may have what the last one lacked.
        tracker.delegateLacks = []
        guard delegate != nil else {
            tracker.onChange = nil
            return
        }
        tracker.onChange = { [weak self] change in
            guard let self, let delegate else {
                // A delegate that has gone leaves nobody to tell; the list follows all the same.
                change.show(change.new)
                return
            }
            report(change, to: delegate)
        }
    }

    /// Gives a delegate that takes snapshots the first one.
    func reportFetch() {
        guard let delegate, let list = tracker.list, !tracker.delegateLacks.contains(.snapshots)
        else { return }
        delegate.controller(
            erasedController(),
            didChangeContentWith: NSDiffableDataSourceSnapshotReference(list, updated: [])
        )
    }

    /// Whether a delegate has a method is known only once its default has been called, for which
    /// the list has to be the new one; the old one is shown again if it was the default.
    private func report(
        _ change: ResultsTracker.Change,
        to delegate: any NSFetchedResultsControllerDelegate
    ) {
        let controller = erasedController()
        if !tracker.delegateLacks.contains(.snapshots) {
            let snapshot = NSDiffableDataSourceSnapshotReference(
                change.new,
                updated: change.difference.updatedObjects
            )
            change.show(change.new)
            delegate.controller(controller, didChangeContentWith: snapshot)
            if !tracker.delegateLacks.contains(.snapshots) { return }
            // Not taken: the next form of the report begins with the old list again.
            change.show(change.old)
        }
        if sectionNameKeyPath == nil, !tracker.delegateLacks.contains(.differences),
            let difference = change.difference.collectionDifference
        {
            change.show(change.new)
            delegate.controller(controller, didChangeContentWith: difference)
            if !tracker.delegateLacks.contains(.differences) { return }
            change.show(change.old)
        }
        reportSteps(change, to: delegate)
    }

    private func reportSteps(
        _ change: ResultsTracker.Change,
        to delegate: any NSFetchedResultsControllerDelegate
    ) {
        let controller = erasedController(), difference = change.difference
        // Still with the old list, which the delegate may look at.
        delegate.controllerWillChangeContent(controller)
        change.show(change.new)
        // From the end, so that each number is one of the old list.
        for index in difference.deletedSections.reversed() {
            delegate.controller(
                controller,
                didChange: emptySectionInfo(change.old.sections[index].name),
                atSectionIndex: index,
                for: .delete
            )
        }
        // From the front, so that each number is one of the new list. Objects come after all
        // sections, for they name sections of that list.
        for index in difference.insertedSections {
            delegate.controller(
                controller,
                didChange: sectionInfo(index, in: change.new),
                atSectionIndex: index,
                for: .insert
            )
        }
        for change in difference.objectChanges {
            let (object, place, type, newPlace) = Self.parts(change)
            delegate.controller(
                controller,
                didChange: object,
                at: place,
                for: type,
                newIndexPath: newPlace
            )
        }
        delegate.controllerDidChangeContent(controller)
    }

    private static func parts(
        _ change: ResultsDifference.ObjectChange
    ) -> (NSManagedObject, IndexPath?, NSFetchedResultsChangeType, IndexPath?) {
        switch change {
        case .delete(let object, let place): (object, place, .delete, nil)
        case .insert(let object, let place): (object, nil, .insert, place)
        case .move(let object, let from, let to): (object, from, .move, to)
        case .update(let object, let place, let newPlace): (object, place, .update, newPlace)
        }
    }
}

/// The methods that a delegate has left to their defaults.
struct DelegateMethods: OptionSet {
    let rawValue: Int
    static let snapshots = DelegateMethods(rawValue: 1)
    static let differences = DelegateMethods(rawValue: 2)
}

extension NSFetchedResultsControllerDelegate {
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
        controller.tracker.delegateLacks.insert(.snapshots)
    }

    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        controller.tracker.delegateLacks.insert(.differences)
    }
}
