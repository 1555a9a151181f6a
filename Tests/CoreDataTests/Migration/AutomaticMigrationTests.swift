import Foundation
import Testing

@testable import CoreData

/// Migration by adding a store with the options for it.
@Suite struct AutomaticMigrationTests {
    private static let versions = [
        "V1": """
        <entity name="Note"><attribute name="title" attributeType="String"/></entity>
        """,
        "V2": """
        <entity name="Note"><attribute name="title" attributeType="String"/>
        <attribute name="stars" attributeType="Integer 16" optional="YES"/></entity>
        """,
        "V3": """
        <entity name="Note"><attribute name="title" attributeType="Double"/></entity>
        """,
    ]
    private let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
    ]

    private struct Place {
        let fixture: MigrationFixture
        let folder: ModelFolder
    }

    /// A store of V1 beside the model's versions, of which one is current.
    private func makePlace(current: String = "V2") throws -> Place {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Models-\(UUID().uuidString)", isDirectory: true)
        let models = try ModelFolder(in: folder, versions: Self.versions, current: current)
        let fixture = try MigrationFixture(try models.version("V1")) {
            $0.insert("Note", ["title": "a"])
        }
        return Place(fixture: fixture, folder: models)
    }

    private func add(
        _ place: Place,
        _ options: [AnyHashable: Any]?,
        model: NSManagedObjectModel? = nil
    ) throws -> [String] {
        let model = try model ?? place.folder.current()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: place.fixture.url,
            options: options
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let titles = try context.performAndWait {
            try context.objects("Note", by: "title").compactMap { $0.text("title") }
        }
        try coordinator.remove(store)
        return titles
    }

    private func bytes(_ place: Place) throws -> Data { try Data(contentsOf: place.fixture.url) }

    @Test func addingAStoreOfAnEarlierVersionMigratesIt() throws {
        let place = try makePlace()
        #expect(try add(place, options) == ["a"])
        #expect(try place.fixture.shell("SELECT ZSTARS IS NULL FROM ZNOTE") == ["1"])
        #expect(try add(place, nil) == ["a"])
    }

    /// Killed when the new store was in its place, a program leaves files that no migration needs any
    /// more.
    @Test func whatAKilledMigrationLeftGoesWithTheNextOpening() throws {
        let place = try makePlace()
        #expect(try add(place, options) == ["a"])
        // No process has the largest number.
        let left = ["migrating", "replacing"].map {
            place.fixture.folder.appendingPathComponent(
                ".Store-\($0)-\(pid_t.max)-\(UUID().uuidString).sqlite"
            )
        }
        for url in left { try Data([1]).write(to: url) }
        #expect(try add(place, options) == ["a"])
        #expect(!left.contains { FileManager.default.fileExists(atPath: $0.path) })
    }

    @Test func aDescriptionMigratesUnlessToldNotTo() throws {
        let place = try makePlace()
        let model = try place.folder.current()
        let description = NSPersistentStoreDescription(url: place.fixture.url)
        description.shouldMigrateStoreAutomatically = false
        for expected in [NSPersistentStoreIncompatibleVersionHashError, nil] {
            let container = NSPersistentContainer(name: "Model", managedObjectModel: model)
            container.persistentStoreDescriptions = [description]
            let codes = Locked<[Int?]>([])
            container.loadPersistentStores { _, error in
                codes.withLock { $0.append((error as NSError?)?.code) }
            }
            #expect(codes.withLock { $0 } == [expected])
            description.shouldMigrateStoreAutomatically = true
        }
    }

    @Test func withoutTheOptionsTheStoreStaysAsItIs() throws {
        let place = try makePlace()
        let before = try bytes(place)
        let error = #expect(throws: CocoaError.self) { try add(place, nil) }
        #expect(error?.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        let readOnly = options.merging([NSReadOnlyPersistentStoreOption: true]) { $1 }
        let other = #expect(throws: CocoaError.self) { try add(place, readOnly) }
        #expect(other?.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try bytes(place) == before)
    }

    @Test func whatCannotBeInferredIsNamed() throws {
        let place = try makePlace(current: "V3")
        let before = try bytes(place)
        let error = #expect(throws: CocoaError.self) { try add(place, options) }
        #expect(error?.errorCode == NSMigrationMissingMappingModelError)
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == NSInferredMappingModelError)
        #expect(cause?.userInfo["entity"] as? String == "Note")
        #expect(cause?.userInfo["property"] as? String == "title")
        #expect(
            cause?.userInfo["reason"] as? String
                == "Source and destination attribute types are incompatible"
        )
        let migrateOnly: [AnyHashable: Any] = [NSMigratePersistentStoresAutomaticallyOption: true]
        let missing = #expect(throws: CocoaError.self) { try add(place, migrateOnly) }
        #expect(missing?.errorCode == NSMigrationMissingMappingModelError)
        #expect(try bytes(place) == before)
    }

    @Test func aStoreOfAnUnknownModelIsRefused() throws {
        let place = try makePlace()
        let stranger = makeModel([makeEntity("Note", [makeAttribute("other")])])
        let alien = try MigrationFixture(makeModel([makeEntity("Alien")])) { _ in }
        _ = try alien.shell("DELETE FROM Z_MODELCACHE; PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try Data(contentsOf: alien.url)
        let error = #expect(throws: CocoaError.self) {
            try add(Place(fixture: alien, folder: place.folder), options, model: stranger)
        }
        #expect(error?.errorCode == NSMigrationMissingSourceModelError)
        let planning = #expect(throws: CocoaError.self) {
            try StoreMigrationPlan(forStoreAt: alien.url, to: stranger)
        }
        #expect(planning?.errorCode == NSMigrationMissingSourceModelError)
        #expect(try Data(contentsOf: alien.url) == before)
    }

    @Test func aDamagedVersionDoesNotHideTheOneThatIsLookedFor() throws {
        let place = try makePlace()
        let version = place.folder.url.appendingPathComponent("V0.xcdatamodel", isDirectory: true)
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data("<model".utf8).write(to: version.appendingPathComponent("contents"))
        #expect(try add(place, options) == ["a"])
        #expect(try place.fixture.shell("SELECT ZSTARS IS NULL FROM ZNOTE") == ["1"])
    }

    @Test func aPlanNamesEntitiesWithoutObjectsWhereAllOfThemGo() throws {
        let note = makeEntity("Note", [makeAttribute("title")])
        let fixture = try MigrationFixture(makeModel([note])) { _ in }
        let other = makeModel([makeEntity("Other")])
        let plan = try StoreMigrationPlan(forStoreAt: fixture.url, to: other)
        #expect(plan.steps.map { $0.lostEntities.map(\.name) } == [["Note"]])
        // It was made in code, and has no file that would name it.
        #expect(plan.steps.map(\.name) == ["the model"])
    }

    @Test func damagedFilesAreRefusedUnchanged() throws {
        let place = try makePlace()
        let junk = Data("This is no database, though it is long enough to be one.".utf8)
        try junk.write(to: place.fixture.url)
        let error = #expect(throws: CocoaError.self) { try add(place, options) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(try bytes(place) == junk)
    }
}
