import CoreData
import TestSupport
import Testing

@Suite struct StoreDescriptionTests {
    @Test func aNewDescriptionHasApplesDefaults() {
        let url = URL(fileURLWithPath: "/nowhere/A.sqlite")
        let description = NSPersistentStoreDescription(url: url)
        #expect(description.type == NSSQLiteStoreType && description.url == url)
        #expect(description.configuration == nil && !description.isReadOnly)
        #expect(description.timeout == 240 && description.sqlitePragmas.isEmpty)
        #expect(!description.shouldAddStoreAsynchronously)
        #expect(description.shouldMigrateStoreAutomatically)
        #expect(description.shouldInferMappingModelAutomatically)
    }

    @Test func propertiesAreOptions() {
        let description = NSPersistentStoreDescription()
        description.isReadOnly = true
        description.timeout = 3
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        let options = description.options
        #expect(options[NSReadOnlyPersistentStoreOption] as? NSNumber == true)
        #expect(options[NSPersistentStoreTimeoutOption] as? NSNumber == 3)
        #expect(options[NSMigratePersistentStoresAutomaticallyOption] as? NSNumber == false)
        #expect(options[NSInferMappingModelAutomaticallyOption] as? NSNumber == false)
        description.setOption(NSNumber(value: false), forKey: NSReadOnlyPersistentStoreOption)
        #expect(!description.isReadOnly)
        description.setOption(nil, forKey: NSPersistentStoreTimeoutOption)
        #expect(description.timeout == 240)
    }

    @Test func pragmasAreKeptByName() {
        let description = NSPersistentStoreDescription()
        description.setValue("NORMAL" as NSString, forPragmaNamed: "synchronous")
        description.setValue(NSNumber(value: 100), forPragmaNamed: "cache_size")
        #expect(description.sqlitePragmas["synchronous"] as? String == "NORMAL")
        let option = description.options[NSSQLitePragmasOption] as? NSDictionary
        #expect(option?.count == 2)
        description.setValue(nil, forPragmaNamed: "synchronous")
        #expect(Set(description.sqlitePragmas.keys) == ["cache_size"])
    }

    @Test func aCopyIsIndependent() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/x"))
        description.configuration = "Few"
        description.shouldAddStoreAsynchronously = true
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        description.isReadOnly = true
        #expect(copy.url == description.url && copy.configuration == "Few")
        #expect(copy.shouldAddStoreAsynchronously && !copy.isReadOnly)
    }

    @Test func storesCanBeDescribedAsReadOnly() throws {
        let stack = try TestStack(.sqlite)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let description = NSPersistentStoreDescription(url: stack.url)
        description.isReadOnly = true
        nonisolated(unsafe) var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { _, error in failure = error }
        let store = try #require(coordinator.persistentStores.first)
        #expect(failure == nil && store.isReadOnly)
        try coordinator.remove(store)
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func storeTypesHaveNames() {
        typealias StoreType = NSPersistentStore.StoreType
        #expect(StoreType.sqlite.rawValue == NSSQLiteStoreType)
        #expect(StoreType.inMemory == StoreType(rawValue: NSInMemoryStoreType))
    }

    @Test func storeTypesAndOptionsAreApplesStrings() {
        #expect(NSSQLiteStoreType == "SQLite" && NSInMemoryStoreType == "InMemory")
        let options = [
            NSSQLiteAnalyzeOption: "NSSQLiteAnalyzeOption",
            NSSQLiteManualVacuumOption: "NSSQLiteManualVacuumOption",
            NSMigratePersistentStoresAutomaticallyOption:
                "NSMigratePersistentStoresAutomaticallyOption",
            NSInferMappingModelAutomaticallyOption: "NSInferMappingModelAutomaticallyOption",
        ]
        for (option, text) in options { #expect(option == text) }
    }

    @Test func vacuumAndAnalysisLeaveTheRowsAlone() throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext()
        try context.onQueue {
            for number in 0..<50 { context.make("Tag", ["label": "\(number)"]) }
            try context.save()
        }
        let coordinator = stack.coordinator
        try coordinator.remove(try #require(coordinator.persistentStores.first))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: stack.url,
            options: [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true]
        )
        let number = try context.onQueue {
            context.reset()
            return try context.number("Tag")
        }
        #expect(number == 50)
    }
}
