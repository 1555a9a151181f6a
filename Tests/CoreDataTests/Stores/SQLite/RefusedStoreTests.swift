import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Files that are no stores, or not of the model, or damaged: one error each, and no byte changed.
@Suite struct RefusedStoreTests {
    /// What a file is before it is opened.
    enum Damage: String, CaseIterable, Sendable {
        case text, header, half, otherPage, foreignDatabase, otherModel, missingTable
        case missingColumn, missingJoinTable, noMetadataRow, noUUID, badMetadata, metadataIsAnArray
        case historyWithoutColumns, otherModelInLog

        var code: Int {
            switch self {
            case .text, .header, .half, .otherPage, .noMetadataRow, .noUUID, .badMetadata,
                .metadataIsAnArray:
                CocoaError.fileReadCorruptFile.rawValue
            case .foreignDatabase, .missingTable, .missingColumn, .missingJoinTable,
                .historyWithoutColumns:
                NSPersistentStoreIncompatibleSchemaError
            case .otherModel, .otherModelInLog: NSPersistentStoreIncompatibleVersionHashError
            }
        }

        /// Statements that do the damage.
        var sql: String? {
            switch self {
            case .missingTable: "DROP TABLE ZPERSON"
            case .missingColumn: "ALTER TABLE ZPERSON RENAME COLUMN ZAGE TO ZYEARS"
            case .missingJoinTable: ""
            case .noMetadataRow: "DELETE FROM Z_METADATA"
            case .noUUID: "UPDATE Z_METADATA SET Z_UUID = NULL"
            case .badMetadata: "UPDATE Z_METADATA SET Z_PLIST = x'62706c697374303030'"
            case .historyWithoutColumns:
                "CREATE TABLE ACHANGE (Z_PK INTEGER); CREATE TABLE ATRANSACTION (Z_PK INTEGER)"
            default: nil
            }
        }
    }

    private func damage(_ url: URL, _ damage: Damage) throws {
        if let sql = damage.sql {
            let connection = try SQLiteConnection(ConnectionSettings(path: url.path))
            if damage == .missingJoinTable {
                let joins = try connection.tableNames(matching: "Z_[0-9]*")
                connection.finalizeStatements()
                try connection.execute("DROP TABLE \(try #require(joins.first))")
            } else {
                try connection.execute(sql)
            }
            return
        }
        var bytes = try Data(contentsOf: url)
        switch damage {
        case .text: bytes = Data(String(repeating: "no store at all. ", count: 40).utf8)
        case .header: bytes = bytes.prefix(60)
        case .half: bytes = bytes.prefix(bytes.count / 2)
        case .otherPage: bytes.replaceSubrange(100..<4_000, with: Data(count: 3_900))
        case .foreignDatabase:
            try FileManager.default.removeItem(at: url)
            let connection = try SQLiteConnection(
                ConnectionSettings(path: url.path),
                mayCreate: true
            )
            try connection.execute("CREATE TABLE notes (text)")
            return
        case .otherModel, .otherModelInLog: return
        case .metadataIsAnArray:
            let array = try PropertyListSerialization.data(
                fromPropertyList: ["no", "dictionary"],
                format: .binary,
                options: 0
            )
            let connection = try SQLiteConnection(ConnectionSettings(path: url.path))
            let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
            statement.bind(1, array)
            try statement.run()
            return
        default: Issue.record("\(damage) does nothing")
        }
        try bytes.write(to: url)
    }

    /// The bytes of all files of a folder but the shared memory of SQLite, which is no content.
    private func contents(_ folder: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !name.hasSuffix("-shm") {
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            // A log that is empty says nothing either.
            if !name.hasSuffix("-wal") || !data.isEmpty { contents[name] = data }
        }
        return contents
    }

    @Test(arguments: Damage.allCases, [true, false])
    func eachIsOneErrorAndNoByteChanges(_ damage: Damage, isReadOnly: Bool) throws {
        let fixture = try StoreFixture()
        try fixture.insert("Person", [["name": .text("a")], ["name": .text("b")]])
        // With a log that is not in the database yet, as after a crash.
        let keepsLog = damage == .otherModelInLog
        let folder = fixture.folder.appendingPathComponent("Refused")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("Store.sqlite")
        if !keepsLog { fixture.store.close() }
        for suffix in keepsLog ? ["", "-wal"] : [""] {
            try FileManager.default.copyItem(
                at: URL(fileURLWithPath: fixture.url.path + suffix),
                to: URL(fileURLWithPath: url.path + suffix)
            )
        }
        try self.damage(url, damage)
        let before = try contents(folder)
        let isOther = damage == .otherModel || keepsLog
        let model = isOther ? CountedBooks.model() : StoreModel.make()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let error = try #require(throws: CocoaError.self) {
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url,
                options: [NSReadOnlyPersistentStoreOption: NSNumber(value: isReadOnly)]
            )
            // What is damaged further on is met when it is read.
            defer { try? coordinator.remove(store) }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                for entity in model.entities {
                    _ = try context.fetch(
                        NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                    )
                }
            }
        }
        #expect(error.code.rawValue == damage.code, "\(error.localizedDescription)")
        #expect(error.localizedDescription.contains(url.path))
        #expect(error.localizedDescription.split(separator: " ").count > 5)
        #expect(try contents(folder) == before)
    }

    @Test func storesOfOtherTypesAreRefused() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreModel.make())
        let error = try #require(throws: CocoaError.self) {
            try coordinator.addPersistentStore(
                ofType: "Cuneiform",
                configurationName: nil,
                at: URL(fileURLWithPath: "/dev/null")
            )
        }
        #expect(error.code.rawValue == NSPersistentStoreInvalidTypeError)
    }

    /// Bytes anywhere: the right rows or a typed error, and a file that reading has not changed.
    @Test func flippedBytesNeverStopTheProcess() throws {
        let fixture = try StoreFixture()
        try fixture.insert("Person", (0..<40).map { ["age": .integer(Int64($0))] })
        fixture.store.close()
        let sound = try Data(contentsOf: fixture.url)
        var random = SplitMix(seed: 20_211)
        var errors = 0
        for _ in 0..<150 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 16..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            try bytes.write(to: fixture.url)
            do {
                let store = try fixture.another(
                    options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
                )
                defer { store.close() }
                for entity in fixture.model.layout.entities {
                    _ = try store.rows(FetchPlan(layout: entity))
                }
            } catch {
                errors += 1
                #expect((error as NSError).domain == NSCocoaErrorDomain)
            }
            #expect(try Data(contentsOf: fixture.url) == bytes)
        }
        #expect(errors > 0)
    }
}
