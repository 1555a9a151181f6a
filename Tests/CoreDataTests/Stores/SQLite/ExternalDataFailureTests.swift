import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Values in files of their own, where reading or writing the file fails.
@Suite struct ExternalDataFailureTests {
    private static let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private static func model(allowsExternal: Bool = true, isNew: Bool = false)
        -> NSManagedObjectModel
    {
        let photo = makeAttribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = allowsExternal
        let note = makeEntity("Note", [makeAttribute("name"), photo])
        if isNew { note.properties.append(makeAttribute("added")) }
        return makeModel([note])
    }

    private static func makeFixture() throws -> MigrationFixture {
        try MigrationFixture(model()) { $0.insert("Note", ["name": "n", "photo": large]) }
    }

    private static func externalFile(_ fixture: MigrationFixture) throws -> URL {
        let folder = fixture.folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.appendingPathComponent(try #require(names.first))
    }

    /// Runs a body while a file can't be read: a folder is in its place.
    private static func whileUnreadable(_ file: URL, _ body: () throws -> Void) throws {
        let manager = FileManager.default
        let aside = file.deletingLastPathComponent().appendingPathComponent("aside")
        try manager.moveItem(at: file, to: aside)
        try manager.createDirectory(at: file, withIntermediateDirectories: false)
        let result = Result { try body() }
        try manager.removeItem(at: file)
        try manager.moveItem(at: aside, to: file)
        try result.get()
    }

    @Test func aFileThatCantBeReadNowIsAnErrorAndReadLater() throws {
        let fixture = try Self.makeFixture()
        let file = try Self.externalFile(fixture)
        try fixture.open(Self.model()) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            let values = NSFetchRequest<NSDictionary>(entityName: "Note")
            values.resultType = .dictionaryResultType
            values.propertiesToFetch = ["photo"]
            try Self.whileUnreadable(file) {
                #expect(throws: CocoaError.self) { try context.fetch(request) }
                #expect(throws: CocoaError.self) { try context.fetch(values) }
            }
            let note = try #require(try context.fetch(request).first)
            #expect(note.value(forKey: "photo") as? Data == Self.large)
            #expect(try context.fetch(values).first?["photo"] as? Data == Self.large)
        }
    }

    @Test func aFolderThatLeadsElsewhereIsAnErrorOfTheSave() throws {
        let fixture = try Self.makeFixture()
        let folder = fixture.folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        let aside = fixture.folder.appendingPathComponent("aside")
        try fixture.open(Self.model()) { context in
            try FileManager.default.moveItem(at: folder, to: aside)
            try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: aside)
            context.insert("Note", ["name": "new", "photo": Self.large])
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == NSPersistentStoreSaveError)
            #expect(error?.localizedDescription.contains("could not be written") == true)
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.moveItem(at: aside, to: folder)
            try context.save()
        }
    }

    @Test func aFileThatIsGoneIsAMissingValue() throws {
        let fixture = try Self.makeFixture()
        try FileManager.default.removeItem(at: try Self.externalFile(fixture))
        try fixture.open(Self.model()) { context in
            let note = try #require(try context.objects("Note", by: "name").first)
            #expect(note.value(forKey: "photo") == nil && note.text("name") == "n")
        }
    }

    @Test(arguments: [true, false])
    func aMigrationThatCantReadAFileChangesNothing(byMapping: Bool) throws {
        let fixture = try Self.makeFixture()
        let file = try Self.externalFile(fixture)
        let old = Self.model(), new = Self.model(allowsExternal: false, isNew: true)
        let migrator = StoreMigrator(SQLiteStore.self, fixture.url, from: old, to: new)
        let mapping =
            try byMapping
            ? NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new) : nil
        try Self.whileUnreadable(file) {
            #expect(throws: CocoaError.self) { try migrator.run(mapping: mapping, infers: true) }
        }
        let metadata = try SQLiteStore.metadataForPersistentStore(with: fixture.url)
        #expect(ModelVersion.hashes(inMetadata: metadata) == old.entityVersionHashesByName)
        try migrator.run(mapping: mapping, infers: true)
        try fixture.open(new) { context in
            let note = try #require(try context.objects("Note", by: "name").first)
            #expect(note.value(forKey: "photo") as? Data == Self.large)
        }
    }

    @Test func aStoreThatCantReadAFileStaysWhereItIs() throws {
        let fixture = try Self.makeFixture()
        let file = try Self.externalFile(fixture)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(type: .sqlite, at: fixture.url)
        let other = fixture.folder.appendingPathComponent("Other.sqlite")
        try Self.whileUnreadable(file) {
            #expect(throws: CocoaError.self) {
                try coordinator.migratePersistentStore(store, to: other, type: .sqlite)
            }
            #expect(throws: CocoaError.self) {
                try coordinator.replacePersistentStore(
                    at: other,
                    withPersistentStoreFrom: fixture.url,
                    type: .sqlite
                )
            }
        }
        #expect(coordinator.persistentStores == [store])
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(!left.contains { $0.contains("Other") })
        let moved = try coordinator.migratePersistentStore(store, to: other, type: .sqlite)
        try coordinator.remove(moved)
    }

    /// A file of a value is there after a power cut only if all folders that lead to it are.
    @Test func foldersOfNewValuesReachTheDisk() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Durable-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("Store.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        func events(_ body: () throws -> Void) throws -> [String] {
            let lines = Mutex<[String]>([])
            try FileTrace.observing({ event, path in
                guard path.hasPrefix(folder.path) else { return }
                lines.withLock { $0.append("\(event) \(path.dropFirst(folder.path.count))") }
            }) {
                try body()
            }
            return lines.withLock { $0 }
        }
        let first = try events {
            try context.performAndWait {
                context.insert("Note", ["photo": Self.large])
                try context.save()
            }
        }
        #expect(
            first == [
                "makeFolder /.Store_SUPPORT", "makeFolder /.Store_SUPPORT/_EXTERNAL_DATA",
                "sync /.Store_SUPPORT/_EXTERNAL_DATA", "sync /.Store_SUPPORT", "sync ",
            ]
        )
        let second = try events {
            try context.performAndWait {
                context.insert("Note", ["photo": Self.large])
                try context.save()
            }
        }
        #expect(second == ["sync /.Store_SUPPORT/_EXTERNAL_DATA"])
        try coordinator.remove(store)
        try FileManager.default.removeItem(at: folder)
    }

    /// What is not there any more can't be copied, and what is left is.
    @Test(arguments: [false, true])
    func aStoreIsCopiedWithoutFilesThatAreGone(withTheirFolder: Bool) throws {
        let fixture = try Self.makeFixture()
        let file = try Self.externalFile(fixture)
        try FileManager.default.removeItem(
            at: withTheirFolder ? file.deletingLastPathComponent() : file
        )
        let copy = fixture.folder.appendingPathComponent("Copy.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.replacePersistentStore(
            at: copy,
            withPersistentStoreFrom: fixture.url,
            type: .sqlite
        )
        let store = try coordinator.addPersistentStore(type: .sqlite, at: copy)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let names = try context.performAndWait {
            let request = NSFetchRequest<NSDictionary>(entityName: "Note")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name"]
            return try context.fetch(request).map { $0["name"] as? String }
        }
        #expect(names == ["n"])
        try coordinator.remove(store)
    }

    @Test func aValueThatMayBeKeptOutsideCanBeUnique() throws {
        let model = Self.model()
        model.entities[0].uniquenessConstraints = [["photo"]]
        let fixture = try MigrationFixture(model) {
            $0.insert("Note", ["name": "n", "photo": Data([1, 2])])
        }
        try fixture.open(model) { context in
            context.insert("Note", ["name": "m", "photo": Data([1, 2])])
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == NSManagedObjectConstraintMergeError)
        }
    }
}
