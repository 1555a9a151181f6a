import CoreData
import TestSupport
import Testing

@Suite struct IncrementalStoreTests {
    private func withService(
        _ body: (Service, ServiceStore, NSPersistentStoreCoordinator) throws -> Void
    ) throws {
        ServiceStore.register()
        let service = Service()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: ServiceStore.storeType,
            configurationName: nil,
            at: URL(string: "https://example.org/service"),
            options: [ServiceStore.serviceOption: service]
        )
        try body(service, try #require(store as? ServiceStore), coordinator)
    }

    private func fill(_ context: NSManagedObjectContext) throws {
        let maths = context.make("Department", ["name": "Maths"])
        let ada = context.make("Employee", ["name": "Ada", "department": maths, "salary": 3])
        context.make("Person", ["name": "Bob", "department": maths])
        ada.setValue(Set([context.make("Tag", ["label": "t"])]), forKey: "tags")
        let songs = ["c", "a", "b"].map { context.make("Song", ["title": $0]) }
        let list = context.make("Playlist", ["title": "l"])
        list.setValue(NSOrderedSet(array: songs), forKey: "songs")
        try context.save()
    }

    @Test func whatIsSavedIsFetchedAsFaultsThatReadTheService() throws {
        try withService { service, _, coordinator in
            let first = coordinator.makeContext()
            try first.onQueue { try fill(first) }
            #expect(service.count(of: "save") == 1)
            let second = coordinator.makeContext()
            try second.onQueue {
                let before = service.count(of: "values")
                let people = try second.all("Person", sortedBy: "name")
                #expect(people.allSatisfy { $0.isFault })
                #expect(service.count(of: "values") == before)
                #expect(people.map { $0.text("name") } == ["Ada", "Bob"])
                #expect(people[0].entity.name == "Employee" && people[0].integer("salary") == 3)
                #expect(people[0].one("department")?.text("name") == "Maths")
                #expect(people[0].one("department")?.set("people") == Set(people))
                #expect(people[0].set("tags").map { $0.text("label") } == ["t"])
                let songs = try second.only("Playlist").value(forKey: "songs") as? NSOrderedSet
                #expect(
                    songs?.array.map { ($0 as? NSManagedObject)?.text("title") } == ["c", "a", "b"]
                )
                let named = try second.all("Person", where: NSPredicate(format: "name == 'Bob'"))
                #expect(named == [people[1]])
                let count = try second.number("Person")
                #expect(count == 2)
            }
        }
    }

    @Test func idsCarryReferenceObjects() throws {
        try withService { _, store, coordinator in
            let context = coordinator.makeContext()
            try context.onQueue {
                try fill(context)
                let ada = try context.only("Employee")
                let reference = try #require(store.referenceObject(for: ada.objectID) as? String)
                #expect(reference.hasPrefix("employee-"))
                let uri = ada.objectID.uriRepresentation()
                #expect(
                    uri.absoluteString
                        == "x-coredata://5E4F1C1E-0000-4000-8000-000000000001/Employee/p\(reference)"
                )
                #expect(coordinator.managedObjectID(forURIRepresentation: uri) == ada.objectID)
            }
            let tag = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
            let uuid = UUID()
            let references: [Any] = [7, -1, "7", "", "a b/ä%", uuid, uuid.uuidString, "p1"]
            let ids = references.map { store.newObjectID(for: tag, referenceObject: $0) }
            #expect(Set(ids).count == references.count)
            for (reference, id) in zip(references, ids) {
                let uri = id.uriRepresentation()
                let text = uri.absoluteString
                let found = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
                #expect(found == id && found.hash == id.hash)
                let same = try #require(URL(string: text))
                #expect(coordinator.managedObjectID(forURIRepresentation: same) == id)
                let known = store.referenceObject(for: found)
                #expect(known as? AnyHashable == reference as? AnyHashable)
            }
            #expect(ids[0].uriRepresentation().lastPathComponent == "p7")
        }
    }

    @Test func updatesAndDeletionsReachTheService() throws {
        try withService { service, store, coordinator in
            let context = coordinator.makeContext()
            try context.onQueue {
                try fill(context)
                let ada = try context.only("Employee")
                ada.setValue("Ada L.", forKey: "name")
                context.delete(try context.only("Tag"))
                try context.save()
                let id = try #require(store.referenceObject(for: ada.objectID) as? String)
                #expect(service.record(id)?.values["name"] as? String == "Ada L.")
                #expect(service.record(id)?.related["tags"] == [])
                let tags = try context.number("Tag")
                #expect(tags == 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func contextsOfOneProcessMeetInConflicts(mergesFirst: Bool) throws {
        try withService { _, _, coordinator in
            let first = coordinator.makeContext(), second = coordinator.makeContext()
            try first.onQueue { try fill(first) }
            try second.onQueue {
                let ada = try second.only("Employee")
                #expect(ada.integer("salary") == 3)
                ada.setValue(4, forKey: "salary")
                let saved = try didSave(of: first) { context in
                    try context.only("Employee").setValue("Ada L.", forKey: "name")
                }
                if mergesFirst {
                    second.mergeChanges(fromContextDidSave: saved)
                    #expect(ada.text("name") == "Ada L." && ada.integer("salary") == 4)
                } else {
                    #expect(errorCode { try second.save() } == NSManagedObjectMergeError)
                    second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                }
                try second.save()
                #expect(ada.text("name") == "Ada L." && ada.integer("salary") == 4)
            }
        }
    }

    @Test func theServiceReportsConflictsWithOthers() throws {
        try withService { service, store, coordinator in
            let context = coordinator.makeContext()
            try context.onQueue {
                try fill(context)
                let ada = try context.only("Employee")
                let id = try #require(store.referenceObject(for: ada.objectID) as? String)
                service.change(id) { $0.values["name"] = "Ada L." }
                ada.setValue(5, forKey: "salary")
                #expect(errorCode { try context.save() } == NSManagedObjectMergeError)
                #expect(context.hasChanges)
                service.change(id) { $0.values["name"] = "Ada K." }
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try context.save()
                #expect(ada.text("name") == "Ada K." && ada.integer("salary") == 5)
                let record = try #require(service.record(id))
                #expect(record.values["name"] as? String == "Ada K.")
                #expect(record.values["salary"] as? Int == 5)
            }
        }
    }

    @Test func aRefreshShowsWhatOthersDid() throws {
        try withService { service, store, coordinator in
            let context = coordinator.makeContext()
            try context.onQueue {
                try fill(context)
                let ada = try context.only("Employee")
                let id = try #require(store.referenceObject(for: ada.objectID) as? String)
                service.change(id) { $0.values["name"] = "Ada L." }
                #expect(ada.text("name") == "Ada")
                context.refresh(ada, mergeChanges: true)
                #expect(ada.text("name") == "Ada L.")
                let gone = try store.newObjectID(
                    for: #require(coordinator.managedObjectModel.entitiesByName["Tag"]),
                    referenceObject: "tag-none"
                )
                #expect(
                    errorCode { _ = try context.existingObject(with: gone) }
                        == NSManagedObjectReferentialIntegrityError
                )
            }
        }
    }

    @Test func theStoreIsToldOfObjectsInUse() throws {
        try withService { _, store, coordinator in
            let context = coordinator.makeContext()
            try context.onQueue {
                let tag = context.make("Tag")
                #expect(store.registeredCount == 0)
                try context.save()
                withExtendedLifetime(tag) { #expect(store.registeredCount == 1) }
            }
            #expect(store.registeredCount == 0)
            try context.onQueue {
                let tags = try context.all("Tag")
                withExtendedLifetime(tags) { #expect(store.registeredCount == 1) }
            }
            #expect(store.registeredCount == 0)
        }
    }

    @Test func childrenSaveThroughTheirParent() throws {
        try withService { service, _, coordinator in
            let parent = coordinator.makeContext()
            try parent.onQueue {
                try fill(parent)
                let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                child.parent = parent
                try child.onQueue {
                    try child.only("Employee").setValue("Ada L.", forKey: "name")
                    child.make("Tag", ["label": "new"])
                    try child.save()
                }
                #expect(service.count(of: "save") == 1)
                try parent.save()
                #expect(service.count(of: "save") == 2)
                #expect(service.all(["Tag"]).count == 2)
            }
        }
    }

    @Test func dictionariesComeFromTheService() throws {
        try withService { _, _, coordinator in
            let context = coordinator.makeContext()
            try context.onQueue {
                try fill(context)
                let request = NSFetchRequest<NSDictionary>(entityName: "Person")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["name"]
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                let results = try context.fetch(request)
                #expect(results.map { $0["name"] as? String } == ["Ada", "Bob"])
                request.propertiesToGroupBy = ["name"]
                #expect(
                    errorCode { _ = try context.fetch(request) }
                        == NSPersistentStoreUnsupportedRequestTypeError
                )
            }
        }
    }

    @Test func whatOthersMakeAnewCanBeReadAgain() throws {
        try withService { service, store, coordinator in
            let context = coordinator.makeContext()
            try context.onQueue {
                let tag = context.make("Tag", ["label": "old"])
                try context.save()
                let id = try #require(store.referenceObject(for: tag.objectID) as? String)
                context.delete(tag)
                try context.save()
                #expect(try context.all("Tag").isEmpty)
                let record = Service.Record(entity: "Tag", values: ["label": "new"])
                _ = service.commit(put: [id: record], delete: [], expecting: [:])
                let again = try context.only("Tag")
                #expect(again.text("label") == "new")
            }
        }
    }
}
