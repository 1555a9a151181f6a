import CoreData
import TestSupport
import Testing

@Suite struct CoordinatorTests {
    @Test(arguments: StoreKind.allCases)
    func storesAreAddedAndRemoved(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let store = try #require(stack.coordinator.persistentStores.first)
            #expect(store.type == kind.type)
            #expect(store.persistentStoreCoordinator === stack.coordinator)
            if kind.isFile {
                #expect(stack.coordinator.persistentStore(for: stack.url) === store)
                #expect(stack.coordinator.url(for: store) == stack.url)
            }
            nonisolated(unsafe) var changes: [String] = []
            let token = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresDidChange,
                object: stack.coordinator,
                queue: nil
            ) { notification in
                changes += (notification.userInfo ?? [:]).keys.compactMap { $0 as? String }
            }
            let second = try stack.coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil
            )
            #expect(stack.coordinator.persistentStores == [store, second])
            try stack.coordinator.remove(second)
            NotificationCenter.default.removeObserver(token)
            #expect(stack.coordinator.persistentStores == [store])
            #expect(second.persistentStoreCoordinator == nil)
            #expect(changes == [NSAddedPersistentStoresKey, NSRemovedPersistentStoresKey])
            #expect(throws: (any Error).self) { try stack.coordinator.remove(second) }
        }
    }

    /// Each store object has a row cache of its own, and would not learn what the other one saves.
    @Test(arguments: StoreKind.allCases.filter(\.isFile))
    func aFileThatIsBeingAddedIsNotAddedAgain(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            @Sendable func add() throws {
                _ = try coordinator.addPersistentStore(
                    ofType: kind.type,
                    configurationName: nil,
                    at: url
                )
            }
            // Touched by one thread at a time: the observer waits for the other one.
            nonisolated(unsafe) var isFirst = true, code: Int?
            // Posted when the store is open and not yet in the list.
            let token = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresWillChange,
                object: coordinator,
                queue: nil
            ) { _ in
                guard isFirst else { return }
                isFirst = false
                let isDone = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    code = errorCode(add)
                    isDone.signal()
                }
                #expect(isDone.wait(timeout: .now() + patience) == .success)
            }
            try add()
            NotificationCenter.default.removeObserver(token)
            #expect(!isFirst && code == NSPersistentStoreOpenError)
            #expect(coordinator.persistentStores.count == 1)
            // Neither is it afterwards; it is when it was removed.
            #expect(errorCode(add) == NSPersistentStoreOpenError)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            try add()
            #expect(coordinator.persistentStores.count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases.filter(\.isFile))
    func anObserverMayAddAFileAgainThatItHasRemoved(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            @Sendable func add() throws {
                _ = try coordinator.addPersistentStore(
                    ofType: kind.type,
                    configurationName: nil,
                    at: url
                )
            }
            nonisolated(unsafe) var isFirst = true
            let token = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreCoordinatorStoresDidChange,
                object: coordinator,
                queue: nil
            ) { _ in
                guard isFirst else { return }
                isFirst = false
                #expect(throws: Never.self) {
                    for store in coordinator.persistentStores { try coordinator.remove(store) }
                    try add()
                }
            }
            try add()
            NotificationCenter.default.removeObserver(token)
            #expect(!isFirst && coordinator.persistentStores.count == 1)
            #expect(errorCode(add) == NSPersistentStoreOpenError)
        }
    }

    /// A file that could not be added can be added later.
    @Test func aFailureToAddAFileIsForgotten() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            try Data("no store, and longer than the header of one would be".utf8).write(to: url)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            func add() throws {
                _ = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: url
                )
            }
            #expect(throws: (any Error).self) { try add() }
            try FileManager.default.removeItem(at: url)
            try add()
            #expect(coordinator.persistentStores.count == 1)
        }
    }

    @Test func aStoreOpensAgainWithItsRowsAndMetadata() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("A.sqlite")
            var identifier: String?
            do {
                let coordinator = NSPersistentStoreCoordinator(
                    managedObjectModel: SampleModel.make()
                )
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: url
                )
                identifier = store.identifier
                var metadata = coordinator.metadata(for: store)
                metadata["mine"] = "yes"
                coordinator.setMetadata(metadata, for: store)
                let context = coordinator.makeContext()
                try context.onQueue {
                    context.make("Tag", ["label": "t"])
                    try context.save()
                }
                try coordinator.remove(store)
            }
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType,
                at: url
            )
            #expect(metadata["mine"] as? String == "yes")
            #expect(metadata[NSStoreUUIDKey] as? String == identifier)
            #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
            #expect(
                SampleModel.make().isConfiguration(
                    withName: nil,
                    compatibleWithStoreMetadata: metadata
                )
            )
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url,
                options: [NSReadOnlyPersistentStoreOption: true]
            )
            #expect(store.identifier == identifier && store.isReadOnly)
            let context = coordinator.makeContext()
            try context.onQueue {
                let tag = try context.only("Tag")
                #expect(tag.text("label") == "t")
                tag.setValue("u", forKey: "label")
                #expect(throws: (any Error).self) { try context.save() }
                #expect(tag.isUpdated)
                context.rollback()
                context.make("Tag")
                #expect(throws: (any Error).self) { try context.save() }
                context.rollback()
            }
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
            #expect(coordinator.persistentStores.isEmpty)
        }
    }

    @Test func wrongStoresAreRefused() throws {
        try withTemporaryFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            func code(_ type: String, _ url: URL?) -> Int? {
                errorCode {
                    _ = try coordinator.addPersistentStore(
                        ofType: type,
                        configurationName: nil,
                        at: url
                    )
                }
            }
            #expect(code("Nothing", folder) == NSPersistentStoreInvalidTypeError)
            let junk = folder.appendingPathComponent("junk")
            try Data("This is no database, and it is long enough to be looked at.".utf8).write(
                to: junk
            )
            #expect(code(NSSQLiteStoreType, junk) != nil)
            let other = folder.appendingPathComponent("other.sqlite")
            let otherCoordinator = NSPersistentStoreCoordinator(
                managedObjectModel: RulesModel.make()
            )
            let store = try otherCoordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: other
            )
            try otherCoordinator.remove(store)
            #expect(code(NSSQLiteStoreType, other) == NSPersistentStoreIncompatibleVersionHashError)
            #expect(coordinator.persistentStores.isEmpty)
            let context = coordinator.makeContext()
            context.performAndWait {
                context.make("Tag")
                #expect(throws: (any Error).self) { try context.save() }
                #expect(context.hasChanges)
            }
        }
    }

    @Test func aContextWithoutCoordinatorCannotSave() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        #expect(throws: (any Error).self) { try context.onQueue { try context.save() } }
    }

    @Test func containersLoadWhatTheirDescriptionsSay() throws {
        try withTemporaryFolder { folder in
            let container = NSPersistentContainer(name: "C", managedObjectModel: SampleModel.make())
            #expect(container.persistentStoreDescriptions.count == 1)
            let good = NSPersistentStoreDescription(
                url: folder.appendingPathComponent("sub/C.sqlite")
            )
            #expect(good.type == NSSQLiteStoreType && good.shouldMigrateStoreAutomatically)
            let bad = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/proc/none/C.sqlite"))
            container.persistentStoreDescriptions = [good, bad]
            nonisolated(unsafe) var errors: [Bool] = []
            container.loadPersistentStores { _, error in errors.append(error != nil) }
            #expect(errors == [false, true])
            #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
            #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
            let context = container.newBackgroundContext()
            try context.onQueue {
                context.make("Tag")
                try context.save()
            }
            for store in container.persistentStoreCoordinator.persistentStores {
                try container.persistentStoreCoordinator.remove(store)
            }
        }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func blocksOfACoordinatorRunOneAtATime() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        nonisolated(unsafe) var count = 0
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await coordinator.perform { count += 1 } } }
        }
        let total = coordinator.performAndWait { count }
        #expect(total == 100)
        await #expect(throws: CocoaError.self) {
            try await coordinator.perform { throw CocoaError(.userCancelled) }
        }
    }
}
