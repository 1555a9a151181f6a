import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Takes snapshots; must hear nothing else.
private final class SnapshotDelegate: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var snapshots: [NSDiffableDataSourceSnapshotReference] = []
    private(set) var others = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
        snapshots.append(snapshot)
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        others += 1
    }
}

/// Apple's snapshots belong to its user interface frameworks; here they are the runtime's own.
@Suite struct SnapshotDelegateTests {
    private func controller(
        _ context: NSManagedObjectContext
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: "age",
            cacheName: nil
        )
    }

    private func person(
        _ name: String,
        _ age: Int,
        _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(name, forKey: "name")
        person.setValue(age, forKey: "age")
        return person
    }

    @Test(arguments: StoreKind.allCases)
    func aDelegateThatTakesSnapshotsHearsNothingElse(kind: StoreKind) throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext()
        try context.onQueue {
            let ann = person("Ann", 1, context)
            let bob = person("Bob", 2, context)
            try context.save()
            let controller = controller(context), delegate = SnapshotDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            #expect(delegate.snapshots.last?.sectionIdentifiers as? [String] == ["1", "2"])
            let ids = [ann, bob].map(\.objectID)
            #expect(delegate.snapshots.last?.itemIdentifiers as? [NSManagedObjectID] == ids)
            ann.setValue(3, forKey: "height")
            context.delete(bob)
            let cid = person("Cid", 1, context)
            context.processPendingChanges()
            let last = try #require(delegate.snapshots.last)
            #expect(delegate.snapshots.count == 2 && delegate.others == 0)
            #expect(last.sectionIdentifiers as? [String] == ["1"] && last.numberOfItems == 2)
            let items = last.itemIdentifiersInSection(withIdentifier: "1") as? [NSManagedObjectID]
            #expect(items == [ann.objectID, cid.objectID])
            #expect(last.reloadedItemIdentifiers as? [NSManagedObjectID] == [ann.objectID])
            #expect(last.index(ofItemIdentifier: cid.objectID) == 1)
            #expect(last.index(ofItemIdentifier: bob.objectID) == NSNotFound)
            let section = last.sectionIdentifier(forSectionContainingItemIdentifier: cid.objectID)
            #expect(section as? String == "1")
        }
    }
}
