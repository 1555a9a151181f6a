import CoreData
import Foundation
import MergeStack

/// What is on screen: it keeps objects of the main context as merges announce them, lists items by a
/// results controller's reports, and fetches nothing again.
///
/// > Threading: On the main queue.
///
/// @unchecked: main's notifications are posted there, too.
final class MainFollower: NSObject, @unchecked Sendable {
    private let context: NSManagedObjectContext
    private let controller: NSFetchedResultsController<NSManagedObject>
    private var objects: Set<NSManagedObject> = []
    private var listed: [NSManagedObject] = []
    private var removed: [(place: Int, object: NSManagedObject)] = []
    private var added: [(place: Int, object: NSManagedObject)] = []
    private var token: (any NSObjectProtocol)?
    /// The values that each mark has had, in order, each time that it was announced.
    private(set) var marks: [String: [Int]] = [:]

    init(_ context: NSManagedObjectContext) throws {
        self.context = context
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        super.init()
        for entity in ["Item", "Owner", "Tag", "List", "Entry"] {
            for object in try context.all(entity) {
                objects.insert(object)
                // Read now, so that what is shown later was merged.
                _ = object.dumpLine
            }
        }
        try controller.performFetch()
        controller.delegate = self
        listed = controller.fetchedObjects ?? []
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange,
            object: nil,
            queue: nil
        ) { [weak self] notification in
            // Posted on the main queue, by the main context; those of others are dropped.
            guard let self, notification.object as? NSManagedObjectContext === self.context else {
                return
            }
            self.take(notification)
        }
    }

    func end() {
        token.map { NotificationCenter.default.removeObserver($0) }
        token = nil
        controller.delegate = nil
        objects = []
        listed = []
    }

    /// The lines of a dump of the store, of what is on screen.
    var lines: [String] { objects.map(\.dumpLine).sorted() }

    /// What is wrong with the list of the results controller.
    var listViolations: [String] {
        let fetched = (controller.fetchedObjects ?? []).map(\.label)
        let names = objects.filter { $0.entity.name == "Item" }.map(\.label).sorted()
        var wrong: [String] = []
        if fetched != names { wrong.append("the results controller has other items than main") }
        if listed.map(\.label) != fetched {
            wrong.append("what the results controller has reported is not what it has")
        }
        return wrong
    }

    private func take(_ notification: Notification) {
        func set(_ key: String) -> Set<NSManagedObject> {
            notification.userInfo?[key] as? Set<NSManagedObject> ?? []
        }
        objects.formUnion(set(NSInsertedObjectsKey))
        objects.subtract(set(NSDeletedObjectsKey))
        let changed = set(NSInsertedObjectsKey).union(set(NSUpdatedObjectsKey))
            .union(set(NSRefreshedObjectsKey))
        for object in changed where object.entity.name == "Item" && object.label.hasPrefix("mark-")
        {
            marks[object.label, default: []].append(
                Int(object.value(forKey: "value") as? Int64 ?? -1)
            )
        }
    }
}

extension MainFollower: NSFetchedResultsControllerDelegate {
    func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        removed = []
        added = []
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return }
        if type == .delete || type == .move, let place = indexPath?.item {
            removed.append((place, object))
        }
        if type == .insert || type == .move, let place = newIndexPath?.item {
            added.append((place, object))
        }
    }

    /// As a table applies them: deletions by their old places, then insertions by their new ones.
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        for (place, _) in removed.sorted(by: { $0.place > $1.place }) { listed.remove(at: place) }
        for (place, object) in added.sorted(by: { $0.place < $1.place }) {
            listed.insert(object, at: place)
        }
    }
}
