import Foundation

/// Keeps what a fetch request finds as a list with sections, for a table on screen.
///
/// While it has a delegate, the list follows the changes of its context, and the delegate is told
/// of each. Without a delegate the list stays as it was fetched.
///
/// > Threading: Confined to the queue of its context.
open class NSFetchedResultsController<ResultType: NSFetchRequestResult>: NSObject {
    let tracker: ResultsTracker
    /// The request. Change it, then call `performFetch()`.
    open private(set) var fetchRequest: NSFetchRequest<ResultType>
    /// The context whose objects are listed.
    open private(set) var managedObjectContext: NSManagedObjectContext
    /// The key path whose value cuts the list into sections; nil for one section.
    open private(set) var sectionNameKeyPath: String?
    /// The name of the file in which sections are kept from one launch to the next; nil for none.
    open private(set) var cacheName: String?
    /// The delegate, which is told what changes in the list.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet { follow() }
    }

    /// Makes a controller; call `performFetch()` to fill it.
    ///
    /// - Parameters:
    ///   - fetchRequest: A request with sort descriptors, the first of which must order the objects
    ///     as their sections are. An empty list of them orders by primary key; nil is refused.
    ///   - sectionNameKeyPath: The key path whose value cuts the list into sections.
    ///   - name: The name of a file to keep the sections in, so that the next fetch, as long as
    ///     the request and the store stay the same, need not work them out. nil for none.
    public init(
        fetchRequest: NSFetchRequest<ResultType>,
        managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?,
        cacheName name: String?
    ) {
        require(
            fetchRequest.sortDescriptors != nil,
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
            sectionNameKeyPath: sectionNameKeyPath,
            cacheName: name
        )
        super.init()
        // Casts between controllers of different result types then succeed, as with Objective-C.
        RequestClasses.link(
            NSFetchedResultsController<ResultType>.self,
            under: NSFetchedResultsController<any NSFetchRequestResult>.self
        )
    }

    /// Makes a controller that can't fetch, with a request of no entity in a context without a
    /// coordinator: for subclasses that stand for a controller in tests.
    override public init() {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        fetchRequest = NSFetchRequest<ResultType>()
        managedObjectContext = context
        tracker = ResultsTracker(
            request: fetchRequest,
            context: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        super.init()
    }

    /// Fetches the list. A delegate that takes snapshots is given one; others are not told.
    ///
    /// - Throws: What `NSManagedObjectContext.fetch(_:)` throws.
    open func performFetch() throws {
        managedObjectContext.checkQueue("performFetch()")
        // What is pending belongs to the list, not to the first changes that the delegate is told.
        managedObjectContext.processPendingChanges()
        try tracker.performFetch()
        reportFetch()
    }

    /// Deletes the cached sections of a name, or all of them if it is nil.
    open class func deleteCache(withName name: String?) {
        SectionCache.delete(named: name)
    }

    // MARK: The list

    /// The objects in order; nil before the first fetch.
    open var fetchedObjects: [ResultType]? { tracker.list.map { Self.typed($0.objects.array) } }

    /// The sections in order; nil before the first fetch.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        tracker.list.map { list in
            list.sections.indices.map { sectionInfo($0, in: list) }
        }
    }

    /// The object at a place of the list.
    @discardableResult
    open func object(at indexPath: IndexPath) -> ResultType {
        guard let list = tracker.list, list.sections.indices.contains(indexPath.section),
            (0..<list.sections[indexPath.section].count).contains(indexPath.row)
        else {
            fatalError(
                "no object at index \(indexPath.row) in section at index \(indexPath.section)"
            )
        }
        let index = list.sections[indexPath.section].start + indexPath.row
        return Self.typed([list.objects[index]])[0]
    }

    /// The place of an object in the list; nil if it is not there.
    @discardableResult
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        guard let list = tracker.list, let object = object as? NSManagedObject,
            // By identity: a context has one object for each row.
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
    @discardableResult
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
    @discardableResult
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let sections = tracker.list?.sections ?? []
        return sections.firstIndex { sectionIndexTitle(forSectionName: $0.name) == title } ?? 0
    }

    private static func typed(_ objects: [NSManagedObject]) -> [ResultType] {
        objects.map { object in
            guard let typed = object as? ResultType else {
                fatalError(
                    "The results controller promises \(ResultType.self), but the object is "
                        + "\(type(of: object)): check the class name of the entity in the model."
                )
            }
            return typed
        }
    }

    func sectionInfo(_ index: Int, in list: ResultsList) -> any NSFetchedResultsSectionInfo {
        let section = list.sections[index]
        return SectionInfo(
            name: section.name,
            indexTitle: sectionIndexTitle(forSectionName: section.name),
            slice: list.objects[section.start..<section.start + section.count]
        )
    }

    /// What a delegate is told of a section that is gone, and holds nothing any more.
    func emptySectionInfo(_ name: String) -> any NSFetchedResultsSectionInfo {
        SectionInfo(
            name: name,
            indexTitle: sectionIndexTitle(forSectionName: name),
            slice: ResultsObjects([])[...]
        )
    }

    /// This controller as delegates see it, see ``RequestClasses``.
    func erasedController() -> NSFetchedResultsController<any NSFetchRequestResult> {
        unsafeBitCast(self, to: NSFetchedResultsController<any NSFetchRequestResult>.self)
    }
}

/// A section at one moment. It equals others of the same name and the same objects.
private final class SectionInfo: NSObject, NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String?
    private let slice: Slice<ResultsObjects>

    init(name: String, indexTitle: String?, slice: Slice<ResultsObjects>) {
        self.name = name
        self.indexTitle = indexTitle
        self.slice = slice
        super.init()
    }

    var numberOfObjects: Int { slice.count }
    var objects: [Any]? { Array(slice) }

    override var hash: Int { name.hashValue }
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SectionInfo else { return false }
        return self === other
            || name == other.name && slice.elementsEqual(other.slice, by: ===)
    }
}
