import CoreData
import TestSupport
import Testing

/// One coordinator with several stores.
@Suite struct SeveralStoresTests {
    /// Notes in one configuration, tags in another, both in a third.
    private func makeModel() -> NSManagedObjectModel {
        func entity(_ name: String) -> NSEntityDescription {
            let text = NSAttributeDescription()
            text.name = "text"
            text.attributeType = .stringAttributeType
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = [text]
            return entity
        }
        let note = entity("Note"), tag = entity("Tag")
        let model = NSManagedObjectModel()
        model.entities = [note, tag]
        model.setEntities([note], forConfigurationName: "Notes")
        model.setEntities([tag], forConfigurationName: "Tags")
        return model
    }

    @Test(arguments: StoreKind.local, StoreKind.local)
    func configurationsSayWhereObjectsGo(first: StoreKind, second: StoreKind) throws {
        try withTemporaryFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
            func add(_ kind: StoreKind, _ configuration: String) throws -> NSPersistentStore {
                try coordinator.addPersistentStore(
                    ofType: kind.type,
                    configurationName: configuration,
                    at: kind.isFile ? folder.appendingPathComponent(configuration) : nil
                )
            }
            let notes = try add(first, "Notes"), tags = try add(second, "Tags")
            #expect(notes.configurationName == "Notes")
            let context = coordinator.makeContext()
            try context.onQueue {
                let note = context.make("Note", ["text": "n"])
                let tag = context.make("Tag", ["text": "t"])
                try context.save()
                #expect(note.objectID.persistentStore === notes)
                #expect(tag.objectID.persistentStore === tags)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                request.affectedStores = [tags]
                #expect(try context.fetch(request).isEmpty)
                request.affectedStores = [notes]
                #expect(try context.fetch(request) == [note])
            }
        }
    }

    /// Rows of sub-entities stand in the tables of the ones above.
    @Test(arguments: StoreKind.local)
    func aConfigurationsStoreHoldsTheEntitiesBeneathToo(kind: StoreKind) throws {
        func makeModel() throws -> NSManagedObjectModel {
            let model = self.makeModel()
            let special = NSEntityDescription()
            special.name = "SpecialNote"
            special.managedObjectClassName = "NSManagedObject"
            let note = try #require(model.entitiesByName["Note"])
            model.entities += [special]
            note.subentities = [special]
            return model
        }
        try withTemporaryFolder { folder in
            let url = kind.isFile ? folder.appendingPathComponent("Store") : nil
            for round in 1...2 {
                let model = try makeModel()
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                let store = try coordinator.addPersistentStore(
                    ofType: kind.type,
                    configurationName: "Notes",
                    at: url
                )
                #expect(
                    model.isConfiguration(
                        withName: "Notes",
                        compatibleWithStoreMetadata: store.metadata
                    )
                )
                let context = coordinator.makeContext()
                try context.onQueue {
                    context.make("SpecialNote", ["text": "\(round)"])
                    try context.save()
                    #expect(try context.number("Note") == (url == nil ? 1 : round))
                }
            }
        }
    }

    private func withTwoStores(
        _ kinds: [StoreKind],
        _ body: (NSManagedObjectContext, [NSPersistentStore]) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
            let stores = try kinds.enumerated().map { index, kind in
                try coordinator.addPersistentStore(
                    ofType: kind.type,
                    configurationName: nil,
                    at: kind.isFile ? folder.appendingPathComponent("\(index)") : nil
                )
            }
            let context = coordinator.makeContext()
            try context.onQueue { try body(context, stores) }
        }
    }

    @Test func objectsAreAssignedToStores() throws {
        try withTwoStores([.sqlite, .binary]) { context, stores in
            let first = context.make("Note", ["text": "a"])
            let second = context.make("Note", ["text": "b"])
            context.assign(second, to: stores[1])
            try context.save()
            #expect(first.objectID.persistentStore === stores[0])
            #expect(second.objectID.persistentStore === stores[1])
            #expect(try context.all("Note", sortedBy: "text") == [first, second])
        }
    }

    /// Nothing is written anywhere, whichever store it is that fails before the commits.
    @Test(
        arguments: [StoreKind.sqlite, .inMemory, .xml],
        [StoreKind.sqlite, .inMemory, .binary]
    )
    func oneStoreThatFailsKeepsAllFromBeingWritten(first: StoreKind, second: StoreKind) throws {
        for failing in 0..<2 {
            try withTwoStores([first, second]) { context, stores in
                let notes = ["a", "b"].map { context.make("Note", ["text": $0]) }
                for (note, store) in zip(notes, stores) { context.assign(note, to: store) }
                try context.save()
                let coordinator = try #require(context.persistentStoreCoordinator)
                try changeNote(number: failing, in: coordinator)
                for note in notes { note.setValue("mine", forKey: "text") }
                #expect(errorCode { try context.save() } == NSManagedObjectMergeError)
                #expect(try texts(in: coordinator).contains("mine") == false)
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try context.save()
                #expect(try texts(in: coordinator) == ["mine", "mine"])
            }
        }
    }

    private func changeNote(number: Int, in coordinator: NSPersistentStoreCoordinator) throws {
        let other = coordinator.makeContext()
        try other.onQueue {
            try other.all("Note", sortedBy: "text")[number].setValue("other", forKey: "text")
            try other.save()
        }
    }

    private func texts(in coordinator: NSPersistentStoreCoordinator) throws -> [String?] {
        let other = coordinator.makeContext()
        return try other.onQueue { try other.all("Note").map { $0.text("text") } }
    }

    @Test func aFailingStoreOfAClientKeepsOthersFromBeingWritten() throws {
        try withTemporaryFolder { folder in
            JSONStore.register()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
            let json = try coordinator.addPersistentStore(
                ofType: JSONStore.storeType,
                configurationName: "Notes",
                at: folder.appendingPathComponent("Notes")
            )
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: "Tags",
                at: folder.appendingPathComponent("Tags")
            )
            let failing = try #require(json as? JSONStore)
            failing.isFailing = true
            let context = coordinator.makeContext(), other = coordinator.makeContext()
            context.onQueue {
                context.make("Note")
                context.make("Tag")
                #expect(throws: CocoaError.self) { try context.save() }
            }
            let before = try other.onQueue { try other.number("Tag") }
            #expect(before == 0)
            failing.isFailing = false
            try context.onQueue { try context.save() }
            let after = try other.onQueue { [try other.number("Tag"), try other.number("Note")] }
            #expect(after == [1, 1])
        }
    }

    @Test(arguments: StoreKind.allCases.filter(\.isFile))
    func newObjectsGoToTheFirstStoreThatTakesThem(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let model = makeModel()
            func add(
                _ name: String,
                _ coordinator: NSPersistentStoreCoordinator,
                _ options: [AnyHashable: Any]? = nil
            ) throws -> NSPersistentStore {
                try coordinator.addPersistentStore(
                    ofType: kind.type,
                    configurationName: nil,
                    at: folder.appendingPathComponent(name),
                    options: options
                )
            }
            let maker = NSPersistentStoreCoordinator(managedObjectModel: model)
            let made = try add("A", maker)
            let making = maker.makeContext()
            try making.onQueue {
                making.make("Note", ["text": "old"])
                try making.save()
            }
            try maker.remove(made)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let fixed = try add("A", coordinator, [NSReadOnlyPersistentStoreOption: true])
            let open = try add("B", coordinator)
            #expect(fixed.isReadOnly && !open.isReadOnly)
            let context = coordinator.makeContext()
            try context.onQueue {
                let old = try context.only("Note")
                let new = context.make("Note", ["text": "new"])
                try context.save()
                #expect(new.objectID.persistentStore === open)
                old.setValue("changed", forKey: "text")
                new.setValue("changed", forKey: "text")
                let error = try #require(caughtError { try context.save() })
                #expect(error.code == CocoaError.fileWriteNoPermission.rawValue)
                let stores = error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
                #expect(stores == [fixed])
                context.refresh(old, mergeChanges: false)
                try context.save()
                context.delete(old)
                #expect(throws: (any Error).self) { try context.save() }
            }
            // New objects find no other store than the one that is only read.
            try coordinator.remove(open)
            let alone = coordinator.makeContext()
            try alone.onQueue {
                alone.make("Note", ["text": "third"])
                let error = try #require(caughtError { try alone.save() })
                #expect(error.code == CocoaError.fileWriteNoPermission.rawValue)
                let stores = error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
                #expect(stores == [fixed])
            }
        }
    }

    @Test func anObjectCanNotBeAssignedToAStoreWithoutItsEntity() async {
        await #expect(processExitsWith: .failure) {
            try SeveralStoresTests().assignWrongly()
        }
    }

    func assignWrongly() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
        let stores = try ["Notes", "Tags"].map { configuration in
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: configuration,
                at: nil
            )
        }
        let context = coordinator.makeContext()
        context.onQueue { context.assign(context.make("Note"), to: stores[1]) }
    }

    @Test(
        arguments: [[StoreKind.sqlite, .sqlite], [.inMemory, .inMemory], [.binary, .sqlite]]
    )
    func objectsWithTheSameKeyInSeveralStoresAreToldApart(kinds: [StoreKind]) throws {
        try withTwoStores(kinds) { context, stores in
            let first = context.make("Note", ["text": "a"])
            let second = context.make("Note", ["text": "b"])
            context.assign(first, to: stores[0])
            context.assign(second, to: stores[1])
            try context.save()
            for argument in [first, first.objectID] as [Any] {
                for format in ["self == %@", "self IN {%@}", "NOT (self != %@)"] {
                    let found = try context.all(
                        "Note",
                        where: NSPredicate(format: format, argumentArray: [argument])
                    )
                    #expect(found == [first], "\(format)")
                }
                let others = try context.all(
                    "Note",
                    where: NSPredicate(format: "self != %@", argumentArray: [argument])
                )
                #expect(others == [second])
            }
        }
    }

    /// Notes and tags have a store each.
    private func withNotesAndTags(
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
        for configuration in ["Notes", "Tags"] {
            _ = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: configuration,
                at: nil
            )
        }
        let context = coordinator.makeContext()
        try context.onQueue { try body(context) }
    }

    @Test func aChildsSaveOverSeveralStoresIsTakenInAsAWhole() throws {
        try withNotesAndTags { parent in
            let tag = parent.make("Tag", ["text": "t"])
            try parent.save()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try child.onQueue {
                let changed = try child.only("Tag")
                child.make("Note", ["text": "n"])
                changed.setValue("changed", forKey: "text")
            }
            parent.delete(tag)
            parent.processPendingChanges()
            child.onQueue { #expect(caughtError(child.save) != nil) }
            #expect(parent.insertedObjects.isEmpty)
            parent.rollback()
            try child.onQueue { try child.save() }
            #expect(parent.insertedObjects.count == 1 && tag.text("text") == "changed")
        }
    }

    @Test func aSaveThatHasNoStoreForOneLeavesTheIDsOfAllTemporary() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType,
            configurationName: "Notes",
            at: nil
        )
        let context = coordinator.makeContext()
        try context.onQueue {
            let note = context.make("Note", ["text": "n"])
            let tag = context.make("Tag", ["text": "t"])
            #expect(caughtError(context.save) != nil)
            #expect(note.objectID.isTemporaryID)
            context.delete(tag)
            try context.save()
            #expect(!note.objectID.isTemporaryID)
        }
    }

    /// Objects that come later may have the address of the one that was assigned.
    @Test func anAssignmentEndsWithItsObject() throws {
        try withTwoStores([.inMemory, .inMemory]) { context, stores in
            for _ in 0..<20 {
                context.assign(context.make("Note", ["text": "gone"]), to: stores[1])
                for object in context.insertedObjects { context.delete(object) }
                context.processPendingChanges()
                let notes = (0..<20).map { context.make("Note", ["text": "\($0)"]) }
                try context.save()
                #expect(notes.allSatisfy { $0.objectID.persistentStore === stores[0] })
            }
        }
    }
}
