import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CoreData

/// `replacePersistentStore`, interrupted: the old store is there or the new one, each whole.
@Suite(.serialized) struct ReplacedStoreTests {
    private static let sizes = ["old": 150_000, "new": 250_000]

    private static func model() -> NSManagedObjectModel {
        let photo = makeAttribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        return makeModel([makeEntity("Note", [makeAttribute("name"), photo])])
    }

    /// A folder with a store to be replaced and one to replace it with.
    private final class Stores {
        let folder: URL
        var destination: URL { folder.appendingPathComponent("Destination.sqlite") }
        var source: URL { folder.appendingPathComponent("Source.sqlite") }

        init(hasDestination: Bool) throws {
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("Replaced-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if hasDestination { try make(destination, "old") }
            try make(source, "new")
        }

        deinit {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("A test folder could not be removed: \(error)")
            }
        }

        private func make(_ url: URL, _ name: String) throws {
            try open(url) { context in
                for _ in 0..<20 { context.insert("Note", ["name": name]) }
                let size = try #require(ReplacedStoreTests.sizes[name])
                context.insert("Note", ["name": name, "photo": Data(repeating: 3, count: size)])
                try context.save()
            }
        }

        func open<Result>(
            _ url: URL,
            _ body: (NSManagedObjectContext) throws -> Result
        ) throws -> Result {
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: ReplacedStoreTests.model()
            )
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let result = try context.onQueue { try body(context) }
            try coordinator.remove(store)
            return result
        }

        func replace() throws {
            try NSPersistentStoreCoordinator(managedObjectModel: ReplacedStoreTests.model())
                .replacePersistentStore(
                    at: destination,
                    withPersistentStoreFrom: source,
                    type: .sqlite
                )
        }

        /// What the store at the destination is by its objects; asserts that it is whole.
        func content() throws -> String {
            guard FileManager.default.fileExists(atPath: destination.path) else { return "nothing" }
            return try open(destination) { context in
                let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                let names = Set(notes.map { $0.text("name") ?? "" })
                #expect(notes.count == 21 && names.count == 1)
                let name = names.first ?? ""
                let photos = notes.compactMap { $0.value(forKey: "photo") as? Data }
                #expect(photos.map(\.count) == [ReplacedStoreTests.sizes[name]])
                return name
            }
        }
    }

    @Test(arguments: FaultyFiles.Fault.allCases, [true, false])
    func theOldOrTheNewStoreIsThere(fault: FaultyFiles.Fault, hasDestination: Bool) throws {
        FaultyFiles.install
        var target = 0, operationCount = 0
        var outcomes: Set<String> = []
        repeat {
            target += 1
            let stores = try Stores(hasDestination: hasDestination)
            var failure: (any Error)?
            operationCount = FaultyFiles.whileFailing(fault, at: target, in: stores.folder) {
                do {
                    try stores.replace()
                } catch {
                    failure = error
                }
            }
            do {
                let content = try stores.content()
                outcomes.insert(content)
                if failure == nil { #expect(content == "new", "operation \(target)") }
            } catch {
                Issue.record("operation \(target): \(error)")
            }
            if let failure { #expect(failure is CocoaError, "\(failure)") }
        } while target <= operationCount
        #expect(outcomes == ["new", hasDestination ? "old" : "nothing"])
    }

    /// Files of values and the folders that lead to them come before the database that refers to
    /// them, and a database's own content before its name.
    @Test func whatAPowerCutLeavesIsWhole() throws {
        func events(_ stores: Stores) throws -> [String] {
            let root = stores.folder.path
            let lines = Mutex<[String]>([])
            try FileTrace.observing({ event, path in
                guard path.hasPrefix(root) else { return }
                let name = path.dropFirst(root.count).split(separator: "/").map {
                    UUID(uuidString: String($0)) == nil ? String($0) : "file"
                }
                let isCopy = name.first?.hasPrefix(".Destination-") == true
                let place = isCopy ? "copy" : name.joined(separator: "/")
                lines.withLock { $0.append("\(event) \(place)") }
            }) {
                try stores.replace()
            }
            return lines.withLock { $0 }.filter { !$0.hasPrefix("makeFolder") }
        }
        let values = [
            "rename .Destination_SUPPORT/_EXTERNAL_DATA/file",
            "sync .Destination_SUPPORT/_EXTERNAL_DATA", "sync .Destination_SUPPORT", "sync ",
        ]
        #expect(
            try events(Stores(hasDestination: true)) == values + ["commit Destination.sqlite"]
        )
        #expect(
            try events(Stores(hasDestination: false))
                == values + ["sync copy", "rename Destination.sqlite", "sync "]
        )
    }

    @Test func aStoreThatIsInItsPlaceKeepsItsValuesWhateverFailsThen() throws {
        let stores = try Stores(hasDestination: false)
        let database = stores.destination.path, folder = stores.folder.path
        let isInPlace = Mutex(false)
        let error = #expect(throws: CocoaError.self) {
            try FileTrace.observing({ event, path in
                if event == .rename, path == database { isInPlace.withLock { $0 = true } }
                guard event == .sync, path == folder, isInPlace.withLock({ $0 }) else { return }
                throw CocoaError(.fileWriteUnknown)
            }) {
                try stores.replace()
            }
        }
        #expect(error?.code == .fileWriteUnknown)
        #expect(try stores.content() == "new")
    }

    @Test func whatAKilledProcessLeftGoesWithTheNextTime() throws {
        let stores = try Stores(hasDestination: true)
        // No process has the largest number.
        let name = ".Destination-replacing-\(pid_t.max)-\(UUID().uuidString).sqlite"
        let left = stores.folder.appendingPathComponent(name)
        try Data([1]).write(to: left)
        try stores.replace()
        #expect(try stores.content() == "new")
        let names = try FileManager.default.contentsOfDirectory(atPath: stores.folder.path)
        #expect(!names.contains { $0.contains("-replacing-") })
    }

    @Test func valuesThatAKilledProcessHasMovedGoWithTheNextTime() throws {
        let stores = try Stores(hasDestination: true)
        let folder = stores.folder.appendingPathComponent(".Destination_SUPPORT/_EXTERNAL_DATA")
        try Data([1]).write(to: folder.appendingPathComponent(UUID().uuidString))
        try stores.replace()
        #expect(try stores.content() == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test func whatIsNoDatabaseIsReplacedAsAFile() throws {
        let stores = try Stores(hasDestination: false)
        try Data("This is no database, but it is in the way.".utf8).write(to: stores.destination)
        try stores.replace()
        #expect(try stores.content() == "new")
    }

    @Test func whoHasTheOldStoreOpenCantSaveOverTheNewOne() throws {
        let stores = try Stores(hasDestination: true)
        try stores.open(stores.destination) { context in
            let notes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
            notes.first?.setValue("edited", forKey: "name")
            try stores.replace()
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == NSPersistentStoreSaveError)
            #expect(context.hasChanges)
        }
        #expect(try stores.content() == "new")
    }
}
