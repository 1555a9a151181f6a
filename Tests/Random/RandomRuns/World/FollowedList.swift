import CoreData

/// A results controller's list, and a copy of it to which its delegate's changes are applied, as a
/// table view does it.
///
/// > Threading: On the context's queue.
final class FollowedList: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<NSManagedObject>
    private var sections: [(name: String, objects: [NSManagedObject])] = []
    private var deletedSections: [Int] = []
    private var insertedSections: [(Int, String)] = []
    private var removed: [IndexPath] = []
    private var added: [(IndexPath, NSManagedObject)] = []
    private var problem: String?

    init(
        _ context: NSManagedObjectContext,
        _ entity: String,
        format: String? = nil,
        sortedBy keys: [String] = ["rank", "name"],
        sections: String? = nil,
        limit: Int = 0,
        offset: Int = 0
    ) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
        request.fetchLimit = limit
        request.fetchOffset = offset
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: sections,
            cacheName: nil
        )
        super.init()
        controller.delegate = self
        try fetch()
    }

    func fetch() throws {
        try controller.performFetch()
        sections = shown
        problem = nil
    }

    /// Compares the list with the copy and with a fetch.
    func compare(_ what: String) throws {
        if let problem { throw Difference("\(what): \(problem)") }
        let listed = controller.fetchedObjects ?? []
        try Difference.check(
            "\(what)'s list",
            listed.map(Picture.ownLine),
            try controller.managedObjectContext.fetch(controller.fetchRequest).map(Picture.ownLine)
        )
        try Difference.check("\(what)'s copy", Self.lines(sections), Self.lines(shown))
        guard let key = controller.sectionNameKeyPath else { return }
        let names = shown.map(\.name)
        guard Set(names).count == names.count else {
            throw Difference("\(what)'s sections are \(names)")
        }
        for section in shown {
            for object in section.objects where "\(object.value(forKey: key) ?? "")" != section.name
            {
                throw Difference("\(what) has \(Picture.ownLine(object)) in \(section.name)")
            }
        }
    }

    private var shown: [(name: String, objects: [NSManagedObject])] {
        (controller.sections ?? []).map { ($0.name, $0.objects as? [NSManagedObject] ?? []) }
    }

    private static func lines(_ sections: [(name: String, objects: [NSManagedObject])]) -> [String]
    {
        sections.flatMap { section in section.objects.map { "\(section.name): \($0.label)" } }
    }

    // MARK: Changes

    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        (deletedSections, insertedSections, removed, added) = ([], [], [], [])
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        if type == .insert {
            insertedSections.append((sectionIndex, sectionInfo.name))
        } else {
            deletedSections.append(sectionIndex)
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        guard type != .update, let object = anObject as? NSManagedObject else { return }
        if let indexPath { removed.append(indexPath) }
        if let newIndexPath { added.append((newIndexPath, object)) }
    }

    /// Applies the changes: what is removed by its old place, then sections, then what is added by
    /// its new place.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        for path in removed.sorted(by: >) {
            guard sections.indices.contains(path.section),
                sections[path.section].objects.indices.contains(path.row)
            else { return note("nothing is at \(path) to be removed") }
            sections[path.section].objects.remove(at: path.row)
        }
        for index in deletedSections.sorted(by: >) {
            guard sections.indices.contains(index) else { return note("no section \(index)") }
            sections.remove(at: index)
        }
        for (index, name) in insertedSections.sorted(by: { $0.0 < $1.0 }) {
            guard index <= sections.count else { return note("section \(index) is too far") }
            sections.insert((name, []), at: index)
        }
        for (path, object) in added.sorted(by: { $0.0 < $1.0 }) {
            guard sections.indices.contains(path.section),
                path.row <= sections[path.section].objects.count
            else { return note("nothing can be inserted at \(path)") }
            sections[path.section].objects.insert(object, at: path.row)
        }
    }

    private func note(_ text: String) { problem = problem ?? text }
}
