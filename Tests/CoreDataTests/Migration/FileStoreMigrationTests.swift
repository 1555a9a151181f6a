import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Automatic migration of stores that are read and written as a whole.
@Suite(.serialized) struct FileStoreMigrationTests {
    private static let versions = [
        "V1": """
        <entity name="Author"><attribute name="name" attributeType="String"/>
        <relationship name="notes" toMany="YES" destinationEntity="Note" inverseName="author" \
        inverseEntity="Note"/></entity>
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <relationship name="author" maxCount="1" optional="YES" destinationEntity="Author" \
        inverseName="notes" inverseEntity="Author"/></entity>
        """,
        "V2": """
        <entity name="Author"><attribute name="fullName" attributeType="String" \
        elementID="name"/>
        <relationship name="notes" toMany="YES" destinationEntity="Note" inverseName="author" \
        inverseEntity="Note"/></entity>
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="stars" attributeType="Integer 16" defaultValueString="3"/>
        <relationship name="author" maxCount="1" optional="YES" destinationEntity="Author" \
        inverseName="notes" inverseEntity="Author"/></entity>
        """,
        "V3": """
        <entity name="Note"><attribute name="title" attributeType="Double"/></entity>
        """,
        // Two stores: one with notes, and one with the log.
        "S1": """
        <entity name="Note"><attribute name="title" attributeType="String"/></entity>
        <entity name="Entry"><attribute name="size" attributeType="String"/></entity>
        <configuration name="Notes"><memberEntity name="Note"/></configuration>
        <configuration name="Log"><memberEntity name="Entry"/></configuration>
        """,
        "S2": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="stars" attributeType="Integer 16" defaultValueString="3"/></entity>
        <entity name="Entry"><attribute name="size" attributeType="String"/></entity>
        <configuration name="Notes"><memberEntity name="Note"/></configuration>
        <configuration name="Log"><memberEntity name="Entry"/></configuration>
        """,
        "S3": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="stars" attributeType="Integer 16" defaultValueString="3"/></entity>
        <entity name="Entry"><attribute name="size" attributeType="Double"/></entity>
        <configuration name="Notes"><memberEntity name="Note"/></configuration>
        <configuration name="Log"><memberEntity name="Entry"/></configuration>
        """,
    ]
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("FileStoreMigration-\(UUID().uuidString)", isDirectory: true)
    private var url: URL { folder.appendingPathComponent("Notes.store") }

    private func models(current: String) throws -> ModelFolder {
        try ModelFolder(in: folder, versions: Self.versions, current: current)
    }

    private func open<Result>(
        _ model: NSManagedObjectModel,
        _ type: String,
        configuration: String? = nil,
        _ options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext, NSPersistentStore) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type,
            configurationName: configuration,
            at: url,
            options: options
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let result = try context.onQueue { try body(context, store) }
        try coordinator.remove(store)
        return result
    }

    private func fill(_ model: NSManagedObjectModel, _ type: String) throws {
        try open(model, type) { context, store in
            let author = context.insert("Author", ["name": "Ada"])
            for title in ["a", "b"] {
                _ = context.insert("Note", ["title": title, "author": author])
            }
            store.metadata["Owner"] = "me"
            try context.save()
        }
    }

    private let automatic: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
    ]

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func valuesLinksAndMetadataGoAlong(type: String) throws {
        defer { removeFolder() }
        let models = try models(current: "V2")
        try fill(try models.version("V1"), type)
        // The second time there is nothing left to migrate.
        for options in [automatic, nil] {
            try open(try models.current(), type, options) { context, store in
                let notes = try context.objects("Note", by: "title")
                #expect(notes.map { $0.text("title") } == ["a", "b"])
                #expect(notes.map { $0.value(forKey: "stars") as? Int } == [3, 3])
                #expect(
                    notes.map { $0.value(forKeyPath: "author.fullName") as? String }
                        == ["Ada", "Ada"]
                )
                #expect(store.metadata["Owner"] as? String == "me")
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == ["Model.xcdatamodeld", "Notes.store"])
    }

    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType])
    func aMigrationThatFailsLeavesTheFile(type: String) throws {
        defer { removeFolder() }
        let models = try models(current: "V3")
        try fill(try models.version("V1"), type)
        let before = try Data(contentsOf: url)
        let current = try models.current()
        let error = #expect(throws: CocoaError.self) {
            try open(current, type, automatic) { _, _ in }
        }
        #expect(error?.errorCode == NSMigrationMissingMappingModelError)
        let refused = #expect(throws: CocoaError.self) { try open(current, type) { _, _ in } }
        #expect(refused?.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try Data(contentsOf: url) == before)
    }

    /// What becomes of the other configuration's entities, also what no mapping can be inferred for,
    /// is no matter of this store.
    @Test(arguments: [NSBinaryStoreType, NSXMLStoreType], ["S2", "S3"])
    func aStoreOfOneConfigurationMigratesByItsOwnEntities(
        type: String,
        version: String
    ) throws {
        defer { removeFolder() }
        let models = try models(current: version)
        try open(try models.version("S1"), type, configuration: "Notes") { context, _ in
            _ = context.insert("Note", ["title": "a"])
            try context.save()
        }
        for options in [automatic, nil] {
            let current = try models.current()
            try open(current, type, configuration: "Notes", options) { context, store in
                let notes = try context.objects("Note", by: "title")
                #expect(notes.map { $0.text("title") } == ["a"])
                #expect(notes.map { $0.value(forKey: "stars") as? Int } == [3])
                let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
                #expect(hashes?.keys.sorted() == ["Note"])
            }
        }
    }

    /// The same for a mapping model, which SQLite stores are migrated by in this way, too.
    @Test(arguments: [NSSQLiteStoreType, NSBinaryStoreType])
    func aMappingModelMigratesAStoreOfOneConfiguration(type: String) throws {
        defer { removeFolder() }
        let models = try models(current: "S2")
        let old = try models.version("S1"), new = try models.current()
        try open(old, type, configuration: "Notes") { context, _ in
            _ = context.insert("Note", ["title": "a"])
            try context.save()
        }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old,
            destinationModel: new
        )
        mapping.entityMappings = mapping.entityMappings.filter { $0.sourceEntityName == "Note" }
        try StoreMigrator(
            storeClass: StoreClasses.storeClass(type),
            storeType: type,
            url: url,
            options: nil,
            source: StoreVersion(old, entityNames: ["Note"]),
            destination: StoreVersion(new, entityNames: ["Note"]),
            models: (old, new)
        ).run(mapping: mapping, infers: false)
        try open(new, type, configuration: "Notes") { context, store in
            let notes = try context.objects("Note", by: "title")
            #expect(notes.map { $0.text("title") } == ["a"])
            let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
            #expect(hashes?.keys.sorted() == ["Note"])
        }
    }

    private func removeFolder() {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Issue.record("The folder of the test stays: \(error)")
        }
    }
}
