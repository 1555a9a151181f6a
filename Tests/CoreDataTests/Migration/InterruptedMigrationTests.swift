import Foundation
import Testing

@testable import CoreData

/// Migrations of which each file operation fails once: what is there afterwards is the old store
/// or the new one, whole.
@Suite(.serialized) struct InterruptedMigrationTests {
    private static func model(isNew: Bool) -> NSManagedObjectModel {
        let person = makeEntity("Person", [makeAttribute("name")])
        let photo = makeAttribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = isNew
        person.properties.append(photo)
        let tag = makeEntity(isNew ? "Label" : "Tag", [makeAttribute("name")])
        tag.renamingIdentifier = "Tag"
        let tags = makeRelationship("tags", to: tag, many: true)
        let people = makeRelationship("people", to: person, many: isNew)
        person.properties.append(tags)
        tag.properties.append(people)
        connect(tags, people)
        if isNew { person.properties.append(makeAttribute("age", .integer16AttributeType)) }
        return makeModel([person, tag])
    }

    private static func fill(_ context: NSManagedObjectContext) {
        for number in 0..<6 {
            let person = context.insert("Person", ["name": "p\(number)"])
            person.setValue(Data(repeating: UInt8(number), count: 300), forKey: "photo")
            let tags = (0..<3).map { context.insert("Tag", ["name": "t\(number)-\($0)"]) }
            person.setValue(Set(tags), forKey: "tags")
        }
    }

    /// A copy of a store's files in a folder of its own.
    private static func copy(_ fixture: MigrationFixture) throws -> URL {
        let folder = fixture.folder.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        where name.hasPrefix("Store.sqlite") {
            try FileManager.default.copyItem(
                at: fixture.folder.appendingPathComponent(name),
                to: folder.appendingPathComponent(name)
            )
        }
        return folder.appendingPathComponent("Store.sqlite")
    }

    /// Whether a store is of the new model; asserts that it is whole.
    private static func checkWhole(_ url: URL, old: StoreVersion, new: StoreVersion) throws -> Bool
    {
        let connection = try SQLiteConnection(ConnectionSettings(path: url.path))
        #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
        let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
        let hashes = ModelVersion.hashes(inMetadata: metadata)
        let isNew = hashes == ModelVersion.hashes(of: new.entities.map(\.entity))
        #expect(isNew || hashes == ModelVersion.hashes(of: old.entities.map(\.entity)))
        let version = isNew ? new : old
        let store = SQLiteStore(
            persistentStoreCoordinator: nil,
            configurationName: nil,
            at: url,
            options: nil
        )
        try store.open(model: version.layout, entities: version.entities)
        defer { store.close() }
        let person = try #require(version.layout.entitiesByName["Person"])
        let photo = try #require(person.slotsByName["photo"])
        let tags = try #require(person.slot(named: "tags"))
        let rows = try store.rows(FetchPlan(layout: person))
        #expect(rows.count == 6)
        for row in rows {
            let name = row.text("name", person) ?? ""
            let bytes = row.value(photo, BinaryKind.storage)
            guard case .bytes(let data) = bytes, let number = UInt8(name.dropFirst()) else {
                Issue.record("A row has lost its values.")
                continue
            }
            #expect(data == Data(repeating: number, count: 300))
            #expect(try store.related(person, tags, row.primaryKey).count == 3)
        }
        return isNew
    }

    /// The ways of a migration.
    enum Way: CaseIterable, Sendable {
        /// By SQL, in one transaction, with the journals that SQLite has.
        case inPlaceWithWAL, inPlaceWithJournal
        /// Object by object into a store beside, which then takes the old one's place.
        case byMapping
    }

    private static func migrate(
        _ url: URL,
        _ way: Way,
        from old: NSManagedObjectModel,
        to new: NSManagedObjectModel
    ) throws {
        let migrator = StoreMigrator(SQLiteStore.self, url, from: old, to: new)
        guard way == .byMapping else { return try migrator.run(infers: true) }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: old,
            destinationModel: new
        )
        try migrator.run(mapping: mapping, infers: false)
    }

    @Test(arguments: FaultyFiles.Fault.allCases, Way.allCases)
    func theOldOrTheNewStoreIsThere(fault: FaultyFiles.Fault, way: Way) throws {
        FaultyFiles.install
        let oldModel = Self.model(isNew: false), newModel = Self.model(isNew: true)
        let fixture = try MigrationFixture(oldModel, Self.fill)
        _ = try fixture.shell(
            "PRAGMA journal_mode=\(way == .inPlaceWithJournal ? "DELETE" : "WAL")"
        )
        let old = StoreVersion(oldModel, entityNames: nil)
        let new = StoreVersion(newModel, entityNames: nil)
        var target = 0, operationCount = 0
        var outcomes: Set<Bool> = []
        repeat {
            target += 1
            let url = try Self.copy(fixture)
            var failure: (any Error)?
            operationCount = FaultyFiles.whileFailing(
                fault,
                at: target,
                in: url.deletingLastPathComponent()
            ) {
                do {
                    try Self.migrate(url, way, from: oldModel, to: newModel)
                } catch {
                    failure = error
                }
            }
            let isNew = try Self.checkWhole(url, old: old, new: new)
            outcomes.insert(isNew)
            // What has thrown may have come too late for the old store only if the commit is in
            // the file already.
            if failure == nil { #expect(isNew, "operation \(target)") }
            if let failure { #expect(failure is CocoaError, "\(failure)") }
            if target % 8 == 0 {
                if !isNew { try Self.migrate(url, way, from: oldModel, to: newModel) }
                #expect(try Self.checkWhole(url, old: old, new: new))
            }
            try FileManager.default.removeItem(at: url.deletingLastPathComponent())
        } while target <= operationCount
        #expect(outcomes == [true, false] && target > 40)
    }
}
