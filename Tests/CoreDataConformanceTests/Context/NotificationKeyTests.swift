import CoreData
import TestSupport
import Testing

@Suite struct NotificationKeyTests {
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    @Test func keysAreTheOldConstants() {
        typealias Key = NSManagedObjectContext.NotificationKey
        let keys: [(Key, String, String)] = [
            (.insertedObjects, NSInsertedObjectsKey, "inserted"),
            (.updatedObjects, NSUpdatedObjectsKey, "updated"),
            (.deletedObjects, NSDeletedObjectsKey, "deleted"),
            (.refreshedObjects, NSRefreshedObjectsKey, "refreshed"),
            (.invalidatedObjects, NSInvalidatedObjectsKey, "invalidated"),
            (.invalidatedAllObjects, NSInvalidatedAllObjectsKey, "invalidatedAll"),
            (.insertedObjectIDs, NSInsertedObjectIDsKey, "inserted_objectIDs"),
            (.updatedObjectIDs, NSUpdatedObjectIDsKey, "updated_objectIDs"),
            (.deletedObjectIDs, NSDeletedObjectIDsKey, "deleted_objectIDs"),
            (.refreshedObjectIDs, NSRefreshedObjectIDsKey, "refreshed_objectIDs"),
            (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey, "invalidated_objectIDs"),
        ]
        for (key, constant, text) in keys {
            #expect(key.rawValue == text && constant == text && Key(rawValue: text) == key)
        }
        #expect(Key(rawValue: "nothing") == nil)
    }

    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    @Test func newNamesAreTheOldNotifications() {
        #expect(
            NSManagedObjectContext.willSaveObjectsNotification == .NSManagedObjectContextWillSave
        )
        #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
        #expect(
            NSManagedObjectContext.didChangeObjectsNotification
                == .NSManagedObjectContextObjectsDidChange
        )
        #expect(
            NSManagedObjectContext.didSaveObjectIDsNotification
                == .NSManagedObjectContextDidSaveObjectIDs
        )
        #expect(
            NSManagedObjectContext.didMergeChangesObjectIDsNotification
                == .NSManagedObjectContextDidMergeChangesObjectIDs
        )
        #expect(
            Notification.Name.NSManagedObjectContextDidSave.rawValue
                == "NSManagingContextDidSaveChangesNotification"
        )
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveTellsOfObjectsAndOfTheirPermanentIDs(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            let kept = context.make("Tag", ["label": "kept"])
            let gone = context.make("Tag", ["label": "gone"])
            try context.save()
            let goneID = gone.objectID
            let log = NotificationLog(context)
            kept.setValue("new", forKey: "label")
            context.delete(gone)
            let new = context.make("Tag")
            try context.save()
            let objects = try #require(log.last(.NSManagedObjectContextDidSave))
            #expect(objects.object as? NSManagedObjectContext === context)
            #expect(objects.objects(NSInsertedObjectsKey) == [new])
            #expect(objects.objects(NSUpdatedObjectsKey) == [kept])
            #expect(objects.objects(NSDeletedObjectsKey) == [gone])
            let ids = try #require(log.last(.NSManagedObjectContextDidSaveObjectIDs))
            #expect(ids.ids(NSInsertedObjectIDsKey) == [new.objectID])
            #expect(!new.objectID.isTemporaryID)
            #expect(ids.ids(NSUpdatedObjectIDsKey) == [kept.objectID])
            #expect(ids.ids(NSDeletedObjectIDsKey) == [goneID])
            #expect(log.last(.NSManagedObjectContextWillSave)?.userInfo?.isEmpty != false)
        }
    }

    /// The IDs of large saves may be made apart, from what is written: that is not all they name.
    @Test(arguments: StoreKind.allCases)
    func aLargeSaveTellsOfTheIDsOfAllItsObjects(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            let tags = (0..<400).map { context.make("Tag", ["label": "\($0)"]) }
            let people = (0..<10).map { context.make("Manager", ["name": "\($0)"]) }
            try context.save()
            let gone = Set(tags.suffix(20)), goneIDs = Set(gone.map(\.objectID))
            for isRelated in [false, true] {
                let log = NotificationLog(context)
                for tag in tags.prefix(300) { tag.setValue("new", forKey: "label") }
                // It is named without a row of its own that changes.
                if isRelated { people[0].setValue(Set(people[1...3]), forKey: "friends") }
                if isRelated { gone.forEach(context.delete) }
                let new =
                    (0..<300).map { context.make("Tag", ["label": "\($0)"]) }
                    + (0..<5).map { context.make("Employee", ["name": "\($0)"]) }
                try context.save()
                log.stop()
                let objects = try #require(log.last(.NSManagedObjectContextDidSave))
                let ids = try #require(log.last(.NSManagedObjectContextDidSaveObjectIDs))
                let updated = objects.objects(NSUpdatedObjectsKey)
                #expect(updated.isSuperset(of: tags.prefix(300)))
                #expect(updated.contains(people[0]) == isRelated)
                #expect(ids.ids(NSUpdatedObjectIDsKey) == Set(updated.map(\.objectID)))
                #expect(objects.objects(NSInsertedObjectsKey) == Set(new))
                #expect(ids.ids(NSInsertedObjectIDsKey) == Set(new.map(\.objectID)))
                #expect(new.allSatisfy { !$0.objectID.isTemporaryID })
                #expect(ids.ids(NSDeletedObjectIDsKey) == (isRelated ? goneIDs : []))
                // The others are as they were.
                for tag in tags.prefix(300) { tag.setValue("old", forKey: "label") }
                try context.save()
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func refreshedObjectsAreToldOf(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            let log = NotificationLog(context)
            context.refresh(tag, mergeChanges: true)
            context.processPendingChanges()
            let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            #expect(change.objects(NSRefreshedObjectsKey) == [tag])
            #expect(change.objects(NSUpdatedObjectsKey).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMergeTellsOfTheIDsThatItMerged(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let tag = try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                try context.save()
                return tag
            }
            let saved = try didSave(of: stack.makeContext()) { other throws in
                try other.only("Tag").setValue("b", forKey: "label")
                other.make("Tag")
            }
            try context.onQueue {
                let log = NotificationLog(context)
                context.mergeChanges(fromContextDidSave: saved)
                let merged = try #require(log.last(.NSManagedObjectContextDidMergeChangesObjectIDs))
                let new = try #require(saved.objects(NSInsertedObjectsKey).first).objectID
                #expect(merged.ids(NSInsertedObjectIDsKey) == [new])
                #expect(merged.ids(NSUpdatedObjectIDsKey) == [tag.objectID])
                #expect(merged.ids(NSRefreshedObjectIDsKey) == [tag.objectID])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMergeNamesObjectsOfWhichARelationshipToManyAloneChanged(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let department = try context.onQueue {
                let department = context.make("Department", ["name": "d"])
                try context.save()
                return department
            }
            let saved = try didSave(of: stack.makeContext()) { other throws in
                other.make("Person", ["name": "p", "department": try other.only("Department")])
            }
            #expect(saved.objects(NSUpdatedObjectsKey).map(\.objectID) == [department.objectID])
            try context.onQueue {
                let log = NotificationLog(context)
                context.mergeChanges(fromContextDidSave: saved)
                let merged = try #require(log.last(.NSManagedObjectContextDidMergeChangesObjectIDs))
                #expect(merged.ids(NSUpdatedObjectIDsKey) == [department.objectID])
                #expect(merged.ids(NSRefreshedObjectIDsKey) == [department.objectID])
            }
        }
    }

    /// As many objects as the save has inserted and updated, but others.
    @Test(arguments: StoreKind.allCases)
    func aMergeNamesWhatTheContextHadAndNoMore(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "stored"])
                try context.save()
                context.reset()
            }
            let saved = try didSave(of: stack.makeContext()) { other throws in
                try other.only("Tag").setValue("unknown", forKey: "label")
                other.make("Tag", ["label": "fetched"])
                other.make("Tag", ["label": "new"])
            }
            try context.onQueue {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.predicate = NSPredicate(format: "label == 'fetched'")
                let fetched = try #require(try context.fetch(request).first)
                let log = NotificationLog(context)
                context.mergeChanges(fromContextDidSave: saved)
                let merged = try #require(log.last(.NSManagedObjectContextDidMergeChangesObjectIDs))
                let others = saved.objects(NSInsertedObjectsKey).map(\.objectID)
                #expect(
                    merged.ids(NSInsertedObjectIDsKey)
                        == Set(others).subtracting([fetched.objectID])
                )
                #expect(merged.ids(NSUpdatedObjectIDsKey) == [fetched.objectID])
                #expect(merged.ids(NSRefreshedObjectIDsKey) == [fetched.objectID])
            }
        }
    }

    @Test func storesComeAndGoWithNotifications() throws {
        let stack = try TestStack(.sqlite)
        let coordinator = stack.coordinator
        nonisolated(unsafe) var posted: [(Notification.Name, [AnyHashable: Any])] = []
        let names: [Notification.Name] = [
            .NSPersistentStoreCoordinatorStoresWillChange,
            .NSPersistentStoreCoordinatorStoresDidChange,
            .NSPersistentStoreCoordinatorWillRemoveStore,
        ]
        nonisolated(unsafe) var removed: NSPersistentStore?
        let tokens = names.map { name in
            let isOfStore = name == .NSPersistentStoreCoordinatorWillRemoveStore
            return NotificationCenter.default.addObserver(
                forName: name,
                object: isOfStore ? nil : coordinator,
                queue: nil
            ) { notification in
                if isOfStore {
                    // Other tests remove stores as well.
                    guard let store = notification.object as? NSPersistentStore,
                        store.persistentStoreCoordinator === coordinator
                    else { return }
                    removed = store
                }
                posted.append((name, notification.userInfo ?? [:]))
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType,
            configurationName: nil,
            at: nil
        )
        let added = posted.last { $0.0 == .NSPersistentStoreCoordinatorStoresDidChange }
        #expect(added?.1[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [store])
        posted = []
        try coordinator.remove(store)
        let kinds = posted.map(\.0).filter { $0 != .NSPersistentStoreCoordinatorStoresWillChange }
        #expect(
            kinds == [
                .NSPersistentStoreCoordinatorWillRemoveStore,
                .NSPersistentStoreCoordinatorStoresDidChange,
            ]
        )
        #expect(removed === store)
        #expect(posted.last?.1[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
        #expect(NSUUIDChangedPersistentStoresKey != NSAddedPersistentStoresKey)
    }
}
