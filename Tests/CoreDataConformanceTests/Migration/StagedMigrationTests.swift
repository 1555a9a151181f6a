import CoreData
import TestSupport
import Testing

/// Migration in stages, with code between them.
@Suite struct StagedMigrationTests {
    private func model(_ names: [String]) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.properties = names.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    private func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    private func withStore(_ body: (URL) throws -> Void) throws {
        let stack = try TestStack(.sqlite, model: model(["full"]))
        let context = stack.makeContext()
        try context.onQueue {
            context.make("Note", ["full": "Ada Lovelace"])
            try context.save()
        }
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        try withExtendedLifetime(stack) { try body(stack.url) }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    private func open(
        _ model: NSManagedObjectModel,
        _ url: URL,
        _ manager: NSStagedMigrationManager?,
        options: [AnyHashable: Any] = [:],
        _ check: @Sendable (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: manager.map { manager in
                [
                    NSPersistentStoreStagedMigrationManagerOptionKey: manager,
                    NSMigratePersistentStoresAutomaticallyOption: true,
                    NSInferMappingModelAutomaticallyOption: true,
                ].merging(options) { $1 }
            }
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.onQueue { try check(context) }
        try coordinator.remove(store)
    }

    /// Adds first and last, splits the names, and then removes the full ones.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    private func stages(
        fails: Bool = false
    ) -> (end: NSManagedObjectModel, manager: NSStagedMigrationManager) {
        let one = model(["full"]), two = model(["full", "first", "last"])
        let three = model(["first", "last"])
        let custom = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
        custom.label = "split names"
        custom.willMigrateHandler = { manager, stage in
            #expect(stage.label == "split names")
            let context = try #require(manager.container).newBackgroundContext()
            try context.onQueue {
                let text = try context.only("Note").text("full")
                #expect(text == "Ada Lovelace")
            }
        }
        custom.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container).newBackgroundContext()
            try context.onQueue {
                for note in try context.all("Note") {
                    let parts = (note.text("full") ?? "").split(separator: " ").map(String.init)
                    note.setValue(parts.first, forKey: "first")
                    note.setValue(parts.last, forKey: "last")
                }
                if fails { throw CocoaError(.userCancelled) }
                try context.save()
            }
        }
        let light = NSLightweightMigrationStage([two.versionChecksum, three.versionChecksum])
        return (three, NSStagedMigrationManager([custom, light]))
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func handlersRunBetweenVersions() throws {
        try withStore { url in
            let (end, manager) = stages()
            try open(end, url, manager) { context in
                let note = try context.only("Note")
                #expect(note.text("first") == "Ada" && note.text("last") == "Lovelace")
            }
            #expect(manager.container == nil && manager.stages.count == 2)
            try open(end, url, manager)
        }
    }

    /// What the client says of the store's file holds for the handlers' stores, too.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func handlersHaveTheStoreWithTheOptionsOfTheClient() throws {
        try withStore { url in
            let one = model(["full"]), two = model(["full", "first"])
            let custom = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
            var pragmas: [[String: String]?] = [], timeouts: [Int?] = [], hasLog: [Bool] = []
            let note: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void = {
                manager,
                _ in
                let container = try #require(manager.container)
                let context = container.newBackgroundContext()
                try context.onQueue {
                    try context.only("Note").setValue("Ada", forKey: "full")
                    try context.save()
                }
                let store = container.persistentStoreCoordinator.persistentStores.first
                pragmas.append(store?.options?[NSSQLitePragmasOption] as? [String: String])
                timeouts.append(store?.options?[NSPersistentStoreTimeoutOption] as? Int)
                hasLog.append(FileManager.default.fileExists(atPath: url.path + "-wal"))
            }
            custom.willMigrateHandler = note
            custom.didMigrateHandler = note
            let asked = ["journal_mode": "DELETE"]
            try open(
                two,
                url,
                NSStagedMigrationManager([custom]),
                options: [NSSQLitePragmasOption: asked, NSPersistentStoreTimeoutOption: 7]
            )
            #expect(pragmas == [asked, asked])
            #expect(timeouts == [7, 7])
            #expect(hasLog == [false, false])
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func whatAHandlerThrowsStopsTheMigration() throws {
        try withStore { url in
            let (end, manager) = stages(fails: true)
            #expect(
                errorCode { try open(end, url, manager) } == CocoaError.Code.userCancelled.rawValue
            )
            // The step before the handler is done, and the store is whole.
            try open(model(["full", "first", "last"]), url, nil) { context in
                let text = try context.only("Note").text("full")
                #expect(text == "Ada Lovelace")
            }
        }
    }

    /// Whoever handles the error may move the file.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func aHandlerThatThrowsLeavesNoStoreOpen() throws {
        try withStore { url in
            let one = model(["full"]), two = model(["full", "first"])
            let custom = NSCustomMigrationStage(migratingFrom: reference(one), to: reference(two))
            var coordinator: NSPersistentStoreCoordinator?
            custom.willMigrateHandler = { manager, _ in
                coordinator = manager.container?.persistentStoreCoordinator
                #expect(coordinator?.persistentStores.count == 1)
                throw CocoaError(.userCancelled)
            }
            let code = errorCode { try open(two, url, NSStagedMigrationManager([custom])) }
            #expect(code == CocoaError.Code.userCancelled.rawValue)
            #expect(coordinator?.persistentStores.isEmpty == true)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func stagesThatDoNotLeadThereAreRefused() throws {
        try withStore { url in
            let (_, manager) = stages()
            let unknown = NSLightweightMigrationStage([
                model(["full"]).versionChecksum, "unknown",
            ])
            let end = model(["other"])
            #expect(
                errorCode { try open(end, url, NSStagedMigrationManager([unknown])) }
                    == NSManagedObjectModelReferenceNotFoundError
            )
            let newest = model(["first", "last"])
            try open(newest, url, manager)
            #expect(
                errorCode { try open(model(["full"]), url, manager) }
                    == NSStagedMigrationBackwardMigrationError
            )
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func aReferenceFindsItsModel() throws {
        let model = model(["full"])
        #expect(reference(model).resolvedModel === model)
        #expect(reference(model).versionChecksum == model.versionChecksum)
    }
}
