import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite struct ObjectIDHashTests {
    private func model(_ names: [String]) -> NSManagedObjectModel {
        let entities = names.map { name in
            let entity = NSEntityDescription()
            entity.name = name
            return entity
        }
        // A sub-entity shares the keys of its root.
        let page = NSEntityDescription()
        page.name = "Page"
        entities.first { $0.name == "Note" }?.subentities = [page]
        let model = NSManagedObjectModel()
        model.entities = entities + [page]
        model.setEntities(
            model.entities.filter { ["Note", "Page"].contains($0.name) },
            forConfigurationName: "Notes"
        )
        return model
    }

    /// Coordinators of different models may share a file: the entity has another number in each.
    @Test func idsThatAreEqualHaveOneHash() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Notes.sqlite")
            var ids: [[NSManagedObjectID]] = []
            var coordinators: [NSPersistentStoreCoordinator] = []
            for names in [["Note"], ["Entry", "Note"]] {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(names))
                coordinators.append(coordinator)
                _ = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: "Notes",
                    at: url
                )
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                try context.onQueue {
                    if names.count == 1 {
                        for name in ["Note", "Page"] {
                            NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                        }
                        try context.save()
                    }
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                    request.sortDescriptors = [NSSortDescriptor(key: "self", ascending: true)]
                    ids.append(try context.fetch(request).map(\.objectID))
                }
            }
            #expect(ids[0].count == 2 && ids[0] == ids[1])
            #expect(ids[0].map(\.hash) == ids[1].map(\.hash))
            #expect(Set(ids[0]).isSuperset(of: ids[1]))
            for coordinator in coordinators {
                for store in coordinator.persistentStores { try coordinator.remove(store) }
            }
        }
    }
}
