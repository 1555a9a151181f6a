import Foundation

/// A list of a fetch request's objects, in sections, that follows its context.
///
/// > Threading: Confined to the queue of its context.
open class NSFetchedResultsController<ResultType>: NSObject {
    private let tracker: ResultsTracker
    /// The request. Change it, then call `performFetch()`.
    public let fetchRequest: NSFetchRequest<ResultType>
    /// The context whose objects are listed.
    public let managedObjectContext: NSManagedObjectContext
    /// The key path whose value cuts the list into sections; nil for one section.
    public let sectionNameKeyPath: String?
    /// The name that was given for a cache file. No cache is kept: sections are cut from the list.
    public let cacheName: String?
    /// Hears what changes in the list.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet { follow() }
    }
    /// This controller as delegates see it.
    private var erased: NSFetchedResultsController<any NSFetchRequestResult>?

    /// Makes a controller; call `performFetch()` to fill it.
    ///
    /// - Parameters:
    ///   - fetchRequest: A request with at least one sort descriptor; the first one must order
    ///     the objects as their sections are.
    ///   - sectionNameKeyPath: The key path whose value cuts the list into sections.
    ///   - name: The name of a cache file, for clients of old.
    public init(
        fetchRequest: NSFetchRequest<ResultType>,
        managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?,
        cacheName name: String?
    ) {
        precondition(
            !(fetchRequest.sortDescriptors ?? []).isEmpty,
            "An instance of NSFetchedResultsController requires a fetch request with sort "
                + "descriptors."
        )
        self.fetchRequest = fetchRequest
        managedObjectContext = context
        self.sectionNameKeyPath = sectionNameKeyPath
        cacheName = name
        tracker = ResultsTracker(
            request: fetchRequest,
            context: context,
            sectionNameKeyPath: sectionNameKeyPath
        )
        super.init()
    }

    private init(
        tracker: ResultsTracker,
        fetchRequest: NSFetchRequest<ResultType>,
        cacheName: String?
    ) {
        self.tracker = tracker
        self.fetchRequest = fetchRequest
        managedObjectContext = tracker.context
        sectionNameKeyPath = tracker.sectionNameKeyPath
        self.cacheName = cacheName
        super.init()
    }

    /// Fetches the list. The delegate is not told.
    ///
    /// - Throws: What `NSManagedObjectContext.fetch(_:)` throws.
    open func performFetch() throws { try tracker.performFetch() }

    /// Does nothing: there is no cache.
    public class func deleteCache(withName name: String?) {}

    // MARK: The list

    /// The objects in order; nil before the first fetch.
    open var fetchedObjects: [ResultType]? { tracker.list.map { Self.typed($0.objects) } }

    /// The sections in order; nil before the first fetch.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        tracker.list.map { list in
            list.sections.indices.map { sectionInfo($0, in: list) }
        }
    }

    /// The object at a place of the list.
    open func object(at indexPath: IndexPath) -> ResultType {
        guard let list = tracker.list, list.sections.indices.contains(indexPath.section),
            (0..<list.sections[indexPath.section].count).contains(indexPath.row)
        else {
            preconditionFailure(
                "no object at index \(indexPath.row) in section at index \(indexPath.section)"
            )
        }
        let index = list.sections[indexPath.section].start + indexPath.row
        return Self.typed([list.objects[index]])[0]
    }

    /// The place of an object in the list; nil if it is not there.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        guard let list = tracker.list, let object = object as? NSManagedObject,
            let index = list.objects.firstIndex(where: { $0 === object })
        else { return nil }
        return list.indexPath(index)
    }

    /// The titles of an index of sections.
    open var sectionIndexTitles: [String] {
        var seen = Set<String>()
        return (tracker.list?.sections ?? []).compactMap { section in
            sectionIndexTitle(forSectionName: section.name)
        }.filter { seen.insert($0).inserted }
    }

    /// The index title of a section; the delegate's, or the capitalised first letter of the name.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        if let delegate {
            return delegate.controller(
                erasedController(),
                sectionIndexTitleForSectionName: sectionName
            )
        }
        return sectionName.first.map { String($0).uppercased() }
    }

    /// The number of the first section with an index title.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let sections = tracker.list?.sections ?? []
        return sections.firstIndex { sectionIndexTitle(forSectionName: $0.name) == title } ?? 0
    }

    private static func typed(_ objects: [NSManagedObject]) -> [ResultType] {
        objects.map { object in
            guard let typed = object as? ResultType else {
                preconditionFailure(
                    "The results controller promises \(ResultType.self), but the object is "
                        + "\(type(of: object)): check the class name of the entity in the model."
                )
            }
            return typed
        }
    }

    private func sectionInfo(_ index: Int, in list: ResultsList) -> any NSFetchedResultsSectionInfo
    {
        let section = list.sections[index]
        return SectionInfo(
            name: section.name,
            indexTitle: sectionIndexTitle(forSectionName: section.name),
            slice: list.objects[section.start..<section.start + section.count]
        )
    }

    // MARK: Changes

    private func follow() {
        guard delegate != nil else {
            tracker.onChange = nil
            return
        }
        tracker.onChange = { [weak self] difference, old, commit in
            guard let self, let delegate else {
                commit()
                return
            }
            report(difference, old, commit, to: delegate)
        }
    }

    private func report(
        _ difference: ResultsDifference,
        _ old: ResultsList,
        _ commit: () -> Void,
        to delegate: any NSFetchedResultsControllerDelegate
    ) {
        let controller = erasedController()
        delegate.controllerWillChangeContent(controller)
        commit()
        for index in difference.deletedSections.reversed() {
            delegate.controller(
                controller,
                didChange: sectionInfo(index, in: old),
                atSectionIndex: index,
                for: .delete
            )
        }
        if let new = tracker.list {
            for index in difference.insertedSections {
                delegate.controller(
                    controller,
                    didChange: sectionInfo(index, in: new),
                    atSectionIndex: index,
                    for: .insert
                )
            }
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

    private func erasedController() -> NSFetchedResultsController<any NSFetchRequestResult> {
        if let erased { return erased }
        if let same = self as? NSFetchedResultsController<any NSFetchRequestResult> { return same }
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = fetchRequest.entity
        request.predicate = fetchRequest.predicate
        request.sortDescriptors = fetchRequest.sortDescriptors
        let made = NSFetchedResultsController<any NSFetchRequestResult>(
            tracker: tracker,
            fetchRequest: request,
            cacheName: cacheName
        )
        erased = made
        return made
    }

    /// Equal to its type-erased twin, which delegates are given.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? any ResultsTracking)?.resultsTracker === tracker
    }
    open override var hash: Int { ObjectIdentifier(tracker).hashValue }
}

/// What a controller and its type-erased twin have in common.
private protocol ResultsTracking {
    var resultsTracker: ResultsTracker { get }
}

extension NSFetchedResultsController: ResultsTracking {
    fileprivate var resultsTracker: ResultsTracker { tracker }
}

/// A section at one moment.
private struct SectionInfo: NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String?
    let slice: ArraySlice<NSManagedObject>
    var numberOfObjects: Int { slice.count }
    var objects: [Any]? { Array(slice) }
}
