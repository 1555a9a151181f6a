import CoreData
import TestSupport
import Testing

/// What becomes of contexts and results when a store goes.
@Suite struct StoreRemovalTests {
    @Test(arguments: StoreKind.allCases)
    func objectsLeaveTheirContextAndTheirIDsComeBack(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                let fault = context.make("Tag", ["label": "b"])
                try context.save()
                context.refresh(fault, mergeChanges: false)
                tag.setValue("changed", forKey: "label")
                let id = tag.objectID
                let unsaved = context.make("Song", ["title": "new"])
                let coordinator = stack.coordinator
                let store = try #require(coordinator.persistentStores.first)
                context.processPendingChanges()
                let log = NotificationLog(context)
                try coordinator.remove(store)
                log.stop()
                let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
                #expect(change.objects(NSInvalidatedObjectsKey) == [tag, fault])
                #expect(tag.managedObjectContext == nil && fault.managedObjectContext == nil)
                #expect(tag.text("label") == "changed" && fault.value(forKey: "label") == nil)
                #expect(context.registeredObject(for: id) == nil)
                #expect(context.updatedObjects.isEmpty && context.insertedObjects == [unsaved])
                #expect(try context.all("Tag").isEmpty)
                #expect(throws: (any Error).self) { try context.existingObject(with: id) }
                #expect(throws: (any Error).self) { try context.save() }
                #expect(unsaved.isInserted)

                guard kind.isFile else { return }
                _ = try coordinator.addPersistentStore(
                    ofType: kind.type,
                    configurationName: nil,
                    at: stack.url
                )
                let again = try context.existingObject(with: id)
                #expect(again !== tag && again.text("label") == "a" && again.objectID == id)
                try context.save()
                #expect(!unsaved.objectID.isTemporaryID)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func contextsOnOtherQueuesAndChildrenHearOfIt(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let parent = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try parent.onQueue {
                parent.make("Tag", ["label": "a"])
                try parent.save()
            }
            nonisolated(unsafe) var tag: NSManagedObject?
            try child.onQueue { tag = try child.only("Tag") }
            try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
            // The queues are serial: what removing has asked of them is done before this.
            parent.onQueue {}
            child.onQueue { #expect(tag?.managedObjectContext == nil) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func resultsControllersLoseTheObjects(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let second = try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil
            )
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "a"])
                let other = context.make("Tag", ["label": "b"])
                context.assign(other, to: second)
                try context.save()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
                let controller = NSFetchedResultsController(
                    fetchRequest: request,
                    managedObjectContext: context,
                    sectionNameKeyPath: nil,
                    cacheName: nil
                )
                // Changes are tracked for a delegate only.
                let mirror = ListMirror()
                controller.delegate = mirror
                try controller.performFetch()
                mirror.start(controller)
                #expect(controller.fetchedObjects?.count == 2)
                try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
                #expect(controller.fetchedObjects == [other])
                #expect(mirror.sections.map(\.objects) == [[other]])
            }
        }
    }

    @Test func coordinatorsPostWhatHappensToTheirStores() throws {
        try withStack(.inMemory) { stack in
            nonisolated(unsafe) var posted: [String] = []
            nonisolated(unsafe) var counts: [Int] = []
            let coordinator = stack.coordinator
            let names: [Notification.Name] = [
                .NSPersistentStoreCoordinatorStoresWillChange,
                .NSPersistentStoreCoordinatorStoresDidChange,
                .NSPersistentStoreCoordinatorWillRemoveStore,
            ]
            let tokens = names.enumerated().map { index, name in
                NotificationCenter.default.addObserver(
                    forName: name,
                    object: index == 2 ? nil : coordinator,
                    queue: nil
                ) { notification in
                    if index == 2 {
                        // The object is the store; other tests remove stores as well.
                        let store = notification.object as? NSPersistentStore
                        guard store?.persistentStoreCoordinator === coordinator else { return }
                    }
                    posted.append(["will", "did", "remove"][index])
                    counts.append(coordinator.persistentStores.count)
                }
            }
            let store = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil
            )
            try coordinator.remove(store)
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            #expect(posted == ["will", "did", "will", "remove", "did"])
            #expect(counts == [1, 2, 2, 2, 1])
        }
    }
}
