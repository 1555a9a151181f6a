import CoreData
import TestSupport
import Testing

/// Key-value observing of what is no managed object, and names that clients use.
@Suite struct ObservedPropertyTests {
    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func contextsTellWhenTheyHaveChanges(_ kind: StoreKind) throws {
        try withContext(kind) { context in
            var told: [Bool?] = [], before: [Bool?] = [], current: [Bool] = []
            let observation = context.observe(\.hasChanges, options: [.new, .old, .initial]) {
                context,
                change in
                told.append(change.newValue)
                before.append(change.oldValue)
                current.append(context.hasChanges)
            }
            #expect(told == [false])
            let tag = context.make("Tag")
            context.make("Tag")
            #expect(told == [false, true])
            try context.save()
            #expect(told == [false, true, false])
            tag.setValue("a", forKey: "label")
            context.delete(tag)
            context.rollback()
            #expect(told == [false, true, false, true, false])
            context.make("Tag")
            context.reset()
            context.make("Tag")
            observation.invalidate()
            try context.save()
            #expect(told == [false, true, false, true, false, true, false, true])
            #expect(before == [nil, false, true, false, true, false, true, false])
            #expect(current == told.compactMap { $0 })
        }
    }

    @Test func observationsEndWithTheirToken() throws {
        try withContext(.inMemory) { context in
            var count = 0
            var observation: NSKeyValueObservation? = context.observe(\.hasChanges) { _, _ in
                count += 1
            }
            context.make("Tag")
            observation = nil
            context.rollback()
            #expect(count == 1 && observation == nil)
        }
    }

    @Test func migrationManagersTellTheirProgress() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                for index in 0..<50 { context.make("Tag", ["label": "\(index)"]) }
                try context.save()
            }
            let model = stack.coordinator.managedObjectModel
            let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
            var told: [Float] = []
            let observation = manager.observe(\.migrationProgress, options: .new) {
                manager,
                change in
                #expect(change.newValue == manager.migrationProgress)
                told.append(manager.migrationProgress)
            }
            try manager.migrateStore(
                from: stack.url,
                sourceType: NSSQLiteStoreType,
                options: nil,
                with: try NSMappingModel.inferredMappingModel(
                    forSourceModel: model,
                    destinationModel: model
                ),
                toDestinationURL: stack.url.deletingLastPathComponent()
                    .appendingPathComponent("Next.sqlite"),
                destinationType: NSSQLiteStoreType,
                destinationOptions: nil
            )
            #expect(told.last == 1)
            #expect(told.count > 1 && told == told.sorted())
            observation.invalidate()
        }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func containersHaveTheirDirectoryAsAProperty() {
        let property: URL = NSPersistentContainer.defaultDirectoryURL
        #expect(property == NSPersistentContainer.defaultDirectoryURL())
        #expect(
            NSPersistentContainer.defaultDirectoryURL.appendingPathComponent("a")
                == property.appendingPathComponent("a")
        )
        let type: NSPersistentContainer.Type = OwnDirectoryContainer.self
        #expect(type.defaultDirectoryURL.path == "/own")
        #expect(OwnDirectoryContainer.defaultDirectoryURL().path == "/own")
    }

    @Test func storesNameTheirMigrationManager() {
        let known: AnyClass = NSPersistentStore.migrationManagerClass()
        #expect(ObjectIdentifier(known) == ObjectIdentifier(NSMigrationManager.self))
    }
}

private final class OwnDirectoryContainer: NSPersistentContainer, @unchecked Sendable {
    override class func defaultDirectoryURL() -> URL { URL(fileURLWithPath: "/own") }
}
