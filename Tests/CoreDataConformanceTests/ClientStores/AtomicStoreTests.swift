import CoreData
import TestSupport
import Testing

@Suite struct AtomicStoreTests {
    private struct Stack {
        let coordinator: NSPersistentStoreCoordinator
        let store: JSONStore

        init(_ url: URL) throws {
            JSONStore.register()
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            let added = try coordinator.addPersistentStore(
                ofType: JSONStore.storeType,
                configurationName: nil,
                at: url
            )
            store = try #require(added as? JSONStore)
        }

        func context() -> NSManagedObjectContext { coordinator.makeContext() }
    }

    private func fill(_ context: NSManagedObjectContext) throws {
        let maths = context.make("Department", ["name": "Maths"])
        let ada = context.make("Employee", ["name": "Ada", "department": maths, "salary": 3])
        let bob = context.make("Person", ["name": "Bob", "department": maths])
        ada.setValue(Set([context.make("Tag", ["label": "t"])]), forKey: "tags")
        ada.setValue(Set([bob]), forKey: "friends")
        let songs = ["c", "a", "b"].map { context.make("Song", ["title": $0]) }
        let list = context.make("Playlist", ["title": "l"])
        list.setValue(NSOrderedSet(array: songs), forKey: "songs")
        try context.save()
    }

    /// Beside the initializer that the coordinator calls, which is not required.
    @Test func aStoreClassMayHaveAnInitializerOfItsOwn() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.json")
            let own = JSONStore(reading: url)
            #expect(own.url == url && own.persistentStoreCoordinator == nil)
            let added = try Stack(url).store
            #expect(added.isMadeByCoordinator && !own.isMadeByCoordinator)
        }
    }

    /// Nodes that are related hold each other.
    @Test func nodesEndWithTheirObjectsAndTheirStore() throws {
        try withTemporaryFolder { folder in
            weak var deleted: NSAtomicStoreCacheNode?, kept: NSAtomicStoreCacheNode?
            do {
                let stack = try Stack(folder.appendingPathComponent("Store.json"))
                let context = stack.context()
                try context.onQueue {
                    try fill(context)
                    let ada = try context.only("Employee")
                    kept = stack.store.cacheNode(for: ada.objectID)
                    let people = ["Cid", "Dan"].map { context.make("Person", ["name": $0]) }
                    people[0].setValue(Set([people[1]]), forKey: "friends")
                    people[1].setValue(Set([people[0]]), forKey: "friends")
                    try context.save()
                    deleted = stack.store.cacheNode(for: people[0].objectID)
                    #expect(deleted?.value(forKey: "friends") != nil)
                    people.forEach(context.delete)
                    try context.save()
                }
                #expect(deleted == nil && kept?.value(forKey: "department") != nil)
            }
            #expect(kept == nil)
        }
    }

    @Test func objectsComeBackFromTheFile() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.json")
            let first = try Stack(url)
            let context = first.context()
            let uri = try context.onQueue {
                try fill(context)
                return try context.only("Employee").objectID.uriRepresentation()
            }
            let uuid = first.store.identifier
            // The file says what was saved, in the store's own form.
            let document = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
            let objects = try #require((document as? [String: Any])?["objects"] as? [[String: Any]])
            #expect(objects.count == 8 && first.store.saveCount == 1)
            #expect(uri.path.hasPrefix("/Employee/p"))

            let second = try Stack(url)
            #expect(second.store.identifier == uuid && second.store.cacheNodes().count == 8)
            let again = second.context()
            try again.onQueue {
                let ada = try again.only("Employee")
                let found = second.coordinator.managedObjectID(forURIRepresentation: uri)
                #expect(found == ada.objectID && ada.objectID.uriRepresentation() == uri)
                #expect(ada.isFault && ada.integer("salary") == 3)
                #expect(ada.one("department")?.set("people").count == 2)
                #expect(ada.set("tags").map { $0.text("label") } == ["t"])
                #expect(ada.set("friends").first?.set("friends") == [ada])
                let songs = try again.only("Playlist").value(forKey: "songs") as? NSOrderedSet
                #expect(
                    songs?.array.map { ($0 as? NSManagedObject)?.text("title") } == ["c", "a", "b"]
                )
                let byName = try again.all(
                    "Person",
                    sortedBy: "name",
                    where: NSPredicate(format: "department.name == %@", "Maths")
                )
                #expect(byName.map { $0.text("name") } == ["Ada", "Bob"])
            }
        }
    }

    @Test func updatesAndDeletionsReachTheNodes() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.json")
            let stack = try Stack(url)
            let context = stack.context()
            try context.onQueue {
                try fill(context)
                let ada = try context.only("Employee")
                ada.setValue("Ada L.", forKey: "name")
                ada.setValue(nil, forKey: "department")
                context.delete(try context.only("Tag"))
                try context.save()
                let node = try #require(stack.store.cacheNode(for: ada.objectID))
                #expect(node.value(forKey: "name") as? String == "Ada L.")
                #expect(node.value(forKey: "department") == nil)
                #expect((node.value(forKey: "tags") as? NSSet)?.count == 0)
            }
            let again = try Stack(url).context()
            try again.onQueue {
                let ada = try again.only("Employee")
                #expect(ada.text("name") == "Ada L.")
                let tags = try again.number("Tag")
                #expect(tags == 0)
                let people = try again.only("Department").set("people")
                #expect(people.count == 1)
            }
        }
    }

    @Test func aFailedSaveLeavesEverythingAsItWas() throws {
        try withTemporaryFolder { folder in
            let stack = try Stack(folder.appendingPathComponent("Store.json"))
            let context = stack.context()
            try context.onQueue {
                try fill(context)
                let ada = try context.only("Employee")
                ada.setValue("Eve", forKey: "name")
                context.make("Tag")
                context.delete(try context.only("Department"))
                stack.store.isFailing = true
                #expect(throws: CocoaError.self) { try context.save() }
                #expect(context.hasChanges && stack.store.cacheNodes().count == 8)
                let node = stack.store.cacheNode(for: ada.objectID)
                #expect(node?.value(forKey: "name") as? String == "Ada")
                let other = stack.context()
                try other.onQueue {
                    let names = try other.all("Person", sortedBy: "name").map { $0.text("name") }
                    #expect(names == ["Ada", "Bob"])
                }
                stack.store.isFailing = false
                try context.save()
                #expect(stack.store.cacheNodes().count == 6)
            }
        }
    }

    @Test func conflictsAndMergesGoTheUsualWay() throws {
        try withTemporaryFolder { folder in
            let stack = try Stack(folder.appendingPathComponent("Store.json"))
            let first = stack.context(), second = stack.context()
            try first.onQueue { try fill(first) }
            try second.onQueue {
                let ada = try second.only("Employee")
                #expect(ada.integer("salary") == 3)
                ada.setValue(4, forKey: "salary")
                let saved = try didSave(of: first) { context in
                    try context.only("Employee").setValue("Ada L.", forKey: "name")
                }
                #expect(errorCode { try second.save() } == NSManagedObjectMergeError)
                second.mergeChanges(fromContextDidSave: saved)
                #expect(ada.text("name") == "Ada L." && ada.integer("salary") == 4)
                try second.save()
            }
            try first.onQueue {
                first.refreshAllObjects()
                let ada = try first.only("Employee")
                #expect(ada.integer("salary") == 4)
            }
        }
    }

    @Test func aStoreIsCopiedIntoOneOfAClient() throws {
        try withTemporaryFolder { folder in
            let stack = try Stack(folder.appendingPathComponent("Store.json"))
            let context = stack.context()
            try context.onQueue { try fill(context) }
            let coordinator = stack.coordinator
            let binary = try coordinator.migratePersistentStore(
                stack.store,
                to: folder.appendingPathComponent("Store.bin"),
                withType: NSBinaryStoreType
            )
            let json = try coordinator.migratePersistentStore(
                binary,
                to: folder.appendingPathComponent("New.json"),
                withType: JSONStore.storeType
            )
            #expect(coordinator.persistentStores == [json])
            let again = stack.context()
            try again.onQueue {
                let ada = try again.only("Employee")
                #expect(ada.one("department")?.text("name") == "Maths")
                #expect(ada.set("friends").map { $0.text("name") } == ["Bob"])
                let songs = try again.only("Playlist").value(forKey: "songs") as? NSOrderedSet
                #expect(
                    songs?.array.map { ($0 as? NSManagedObject)?.text("title") } == ["c", "a", "b"]
                )
            }
        }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func storeClassesAreRegisteredByType() throws {
        JSONStore.register()
        let types = NSPersistentStoreCoordinator.registeredStoreTypes
        #expect(types[JSONStore.storeType] != nil && types[NSXMLStoreType] != nil)
        let other = NSPersistentStore.StoreType(rawValue: "JSONStore under another name")
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, type: other)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[other.rawValue] != nil)
        NSPersistentStoreCoordinator.registerStoreClass(nil, type: other)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[other.rawValue] == nil)
    }
}
