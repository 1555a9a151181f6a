import CoreData
import TestSupport
import Testing

/// What a coordinator answers for stores that are not its own, and for names that nobody has.
@Suite struct CoordinatorEdgeTests {
    private func withForeignStore(
        _ body: (NSPersistentStoreCoordinator, NSPersistentStore, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder throws in
            let stack = try TestStack(.sqlite)
            let foreign = try #require(stack.coordinator.persistentStores.first)
            let own = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            try body(own, foreign, folder.appendingPathComponent("Other.sqlite"))
            withExtendedLifetime(stack) {}
        }
    }

    @Test func aForeignStoreIsNotMoved() throws {
        try withForeignStore { coordinator, store, url throws in
            let old = store.url
            #expect(!coordinator.setURL(url, for: store) && store.url == old)
            let error = caughtError {
                try coordinator.migratePersistentStore(store, to: url, withType: NSSQLiteStoreType)
            }
            #expect(error?.localizedDescription.contains("not one of this coordinator's") == true)
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func aStoreInMemoryTakesAnyURL() throws {
        try withStack(.inMemory) { stack throws in
            let store = try #require(stack.coordinator.persistentStores.first)
            let url = URL(fileURLWithPath: "/elsewhere")
            #expect(stack.coordinator.setURL(url, for: store))
            #expect(stack.coordinator.url(for: store) == url)
        }
    }

    @Test func aStoreOfAConfigurationKeepsItWhenItMoves() throws {
        try withTemporaryFolder { folder throws in
            let model = SampleModel.make()
            let tag = try #require(model.entitiesByName["Tag"])
            let people = ["Person", "Employee", "Manager", "Department"]
            model.setEntities(
                [tag] + people.compactMap { model.entitiesByName[$0] },
                forConfigurationName: "People"
            )
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let old = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: "People",
                at: folder.appendingPathComponent("Old.sqlite")
            )
            let context = coordinator.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "t"])
                try context.save()
                context.reset()
            }
            let new = try coordinator.migratePersistentStore(
                old,
                to: folder.appendingPathComponent("New.sqlite"),
                withType: NSSQLiteStoreType
            )
            #expect(new.configurationName == "People")
            try context.onQueue { () throws in #expect(try context.only("Tag").text("label") == "t")
            }
        }
    }

    @Test func anUnknownConfigurationIsNamed() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let error = caughtError {
            _ = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: "Missing",
                at: nil
            )
        }
        #expect(error?.localizedDescription.contains("\"Missing\"") == true)
        #expect(coordinator.persistentStores.isEmpty)
    }

    /// A file that is no store is something: nothing is migrated over it.
    @Test func aStoreIsNotMigratedOverWhatIsNoStore() throws {
        try withStack(.sqlite) { stack throws in
            let store = try #require(stack.coordinator.persistentStores.first)
            let url = stack.url.deletingLastPathComponent().appendingPathComponent("Notes.txt")
            try Data("a note".utf8).write(to: url)
            #expect(
                errorCode {
                    try stack.coordinator.migratePersistentStore(
                        store,
                        to: url,
                        withType: NSSQLiteStoreType
                    )
                } == NSPersistentStoreOpenError
            )
            #expect(try Data(contentsOf: url) == Data("a note".utf8))
            #expect(stack.coordinator.persistentStores == [store])
        }
    }

    @Test func blocksWithoutAResultRunOnTheCoordinatorsQueue() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let waited = try await completion { (finish: @escaping @Sendable (Bool) -> Void) in
            let later: @Sendable () -> Void = {
                nonisolated(unsafe) var wasInside = false
                let inner: @Sendable () -> Void = { wasInside = true }
                // At once: the queue is the caller's own.
                coordinator.performAndWait(inner)
                finish(wasInside)
            }
            coordinator.perform(later)
        }
        #expect(waited)
    }

    @Test func metadataThatIsTakenAwayLeavesWhatTheStoreNeeds() throws {
        try withStack(.sqlite) { stack throws in
            let coordinator = stack.coordinator
            let store = try #require(coordinator.persistentStores.first)
            let identifier = store.identifier
            coordinator.setMetadata(["note": "n"], for: store)
            #expect(coordinator.metadata(for: store)["note"] as? String == "n")
            coordinator.setMetadata(nil, for: store)
            let metadata = coordinator.metadata(for: store)
            #expect(metadata["note"] == nil && metadata[NSStoreUUIDKey] as? String == identifier)
        }
    }

    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    @Test func thereIsNothingLeftOfAMigrationToFinish() throws {
        try withStack(.sqlite) { stack throws in
            let store = try #require(stack.coordinator.persistentStores.first)
            let before = stack.coordinator.metadata(for: store).keys.sorted()
            try stack.coordinator.finishDeferredLightweightMigration()
            try stack.coordinator.finishDeferredLightweightMigrationTask()
            #expect(stack.coordinator.metadata(for: store).keys.sorted() == before)
        }
    }

    @Test func storesThatAreAddedLaterAreToldToTheBlock() async throws {
        let container = NSPersistentContainer(name: "C", managedObjectModel: SampleModel.make())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        description.shouldAddStoreAsynchronously = true
        container.persistentStoreDescriptions = [description]
        // The second time the store is there already.
        for _ in 0..<2 {
            let type = try await completion { (finish: @escaping @Sendable (String) -> Void) in
                container.loadPersistentStores { description, error in
                    finish(error.map { "\($0)" } ?? description.type)
                }
            }
            #expect(type == NSInMemoryStoreType)
        }
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test func aTypeThatNobodyHasRegisteredIsNamed() {
        let container = NSPersistentContainer(name: "C", managedObjectModel: SampleModel.make())
        let description = NSPersistentStoreDescription()
        description.type = "Papyrus"
        container.persistentStoreDescriptions = [description]
        var message = ""
        container.loadPersistentStores { message = $1?.localizedDescription ?? "" }
        #expect(message.contains("Papyrus"))
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }

    /// Its file is gone, and so is the one that it was to go to.
    @Test func aStoreThatCanNeitherMoveNorStayIsClosed() throws {
        try withStack(.sqlite) { stack throws in
            let store = try #require(stack.coordinator.persistentStores.first)
            let context = stack.makeContext()
            let notes = stack.url.deletingLastPathComponent().appendingPathComponent("Notes.txt")
            try Data("a note, and no database at all".utf8).write(to: notes)
            let aside = stack.url.appendingPathExtension("aside")
            try FileManager.default.moveItem(at: stack.url, to: aside)
            try FileManager.default.createDirectory(
                at: stack.url,
                withIntermediateDirectories: false
            )
            #expect(!stack.coordinator.setURL(notes, for: store) && store.url == stack.url)
            context.onQueue {
                // Not that there are none.
                #expect(throws: CocoaError.self) { try context.all("Tag") }
                context.make("Tag")
                #expect(throws: (any Error).self) { try context.save() }
                context.rollback()
            }
            try FileManager.default.removeItem(at: stack.url)
            try FileManager.default.moveItem(at: aside, to: stack.url)
            #expect(stack.coordinator.setURL(stack.url, for: store))
            try context.onQueue { () throws in #expect(try context.all("Tag").isEmpty) }
        }
    }

    @Test func aContextForgetsWhatItWasToDoWithAStoreThatGoes() throws {
        try withStack(.sqlite) { stack throws in
            let context = stack.makeContext()
            let store = try #require(stack.coordinator.persistentStores.first)
            let second = try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil
            )
            try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                let other = context.make("Tag", ["label": "b"])
                context.assign(tag, to: store)
                context.assign(other, to: second)
                try context.save()
                context.detectConflicts(for: tag)
                let new = context.make("Tag", ["label": "c"])
                context.assign(new, to: store)
            }
            try stack.coordinator.remove(store)
            try context.onQueue {
                try context.save()
                let labels = try context.all("Tag", sortedBy: "label").map { $0.text("label") }
                #expect(labels == ["b", "c"])
            }
        }
    }

    @Test(.enabled(if: SQLiteShell.isThere, "needs sqlite3"))
    func aStoreThatCanNotBeReadIsNotCopiedInPart() throws {
        JSONStore.register()
        try withStack(.sqlite) { stack throws in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Person", ["name": "a", "tags": NSSet(object: context.make("Tag"))])
                try context.save()
                context.reset()
            }
            let old = try #require(stack.coordinator.persistentStores.first)
            let tables = try SQLiteShell.rows(
                stack.url,
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_*TAGS'"
            )
            let table = try #require(tables.first)
            _ = try SQLiteShell.run(stack.url, "ALTER TABLE \(table) RENAME TO AWAY")
            let url = stack.url.deletingLastPathComponent().appendingPathComponent("Copy.json")
            #expect(throws: (any Error).self) {
                try stack.coordinator.migratePersistentStore(
                    old,
                    to: url,
                    withType: JSONStore.storeType
                )
            }
            #expect(stack.coordinator.persistentStores == [old])
            _ = try SQLiteShell.run(stack.url, "ALTER TABLE AWAY RENAME TO \(table)")
            try context.onQueue { () throws in
                #expect(try context.only("Person").set("tags").count == 1)
            }
        }
    }
}
