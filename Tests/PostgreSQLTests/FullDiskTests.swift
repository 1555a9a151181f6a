#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A server, or a machine, whose disk has no room any more: a small one in memory, which only an
/// administrator can mount.
@Suite(.enabled(if: PostgreSQLServer.isInstalled && MountedDisk.isPossible))
struct FullDiskTests {
    private static func insert(_ context: NSManagedObjectContext, _ index: Int) {
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        // The server would compress what repeats itself.
        let text = (0..<1_000).map { _ in UUID().uuidString }.joined()
        tag.setValue("\(index) \(text)", forKey: "label")
    }

    /// A database that has its tables on a disk.
    private static func database(on server: PostgreSQLServer, _ disk: MountedDisk) throws -> URL {
        let tables = disk.folder.appendingPathComponent("tables")
        try FileManager.default.createDirectory(at: tables, withIntermediateDirectories: true)
        _ = try ChildProgram.output(["chown", "postgres", disk.folder.path, tables.path])
        let connection = try PostgreSQLConnection(ServerAddress(server.url, options: nil))
        try connection.run("CREATE TABLESPACE small LOCATION '\(tables.path)'")
        try connection.run("CREATE DATABASE small")
        try connection.run("ALTER DATABASE small SET default_tablespace = small")
        return server.url("small")
    }

    @Test func aSaveThrowsAndLosesNothingAndPassesWhenThereIsRoom() throws {
        let server = try PostgreSQLServer()
        defer { #expect(throws: Never.self) { try server.stop() } }
        let disk = try MountedDisk(kilobytes: 3_000)
        try disk.fill(kilobytes: 1_000)
        let database = try SharedDatabase(at: try Self.database(on: server, disk))
        let one = try database.machine("one"), two = try database.machine("two")
        let context = one.context()
        try context.performAndWait {
            var savedCount = 0
            var failure: CocoaError?
            while failure == nil, savedCount < 1_000 {
                Self.insert(context, savedCount)
                do {
                    try context.save()
                    savedCount += 1
                } catch let error as CocoaError {
                    failure = error
                }
            }
            let error = try #require(failure)
            #expect(error.code == .fileWriteOutOfSpace)
            #expect(error.localizedDescription.contains("disk"))
            #expect(savedCount > 0)
            #expect(context.insertedObjects.count == 1)
            for machine in [one, two] {
                try machine.catchUp()
                #expect(try machine.values("Tag", "label").count == savedCount)
            }
            try disk.empty()
            try context.save()
            try two.catchUp()
            #expect(try two.values("Tag", "label").count == savedCount + 1)
        }
    }

    /// The server has such a save before the replica's disk refuses it, and the feed is refused, too.
    @Test func aSaveThatTheReplicaHasNoRoomForSaysSoAndIsThereWhenThereIsRoom() throws {
        // For the log of such a save, and for the database that it is copied into.
        let disk = try MountedDisk(kilobytes: 6_000)
        let database = try SharedDatabase()
        let machine = try database.machine(
            "small",
            options: [PostgreSQLReplicaFolderOption: disk.folder]
        )
        try machine.insert("Tag", ["label": "first"])
        try disk.fill()
        let context = machine.context()
        try context.performAndWait {
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue(String(repeating: "x", count: 2_000_000), forKey: "label")
            let error = #expect(throws: NSError.self) { try context.save() }
            let underlying = error?.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(underlying?.code == PostgreSQLOutcomeUnknownError)
            #expect(error?.localizedDescription.contains("were saved on the server") == true)
            #expect(error?.localizedDescription.contains("has room") == true)
            #expect(try database.run("SELECT 1 FROM $\"ZTAG\"").rowCount == 2)
            try disk.empty()
            try machine.catchUp()
            #expect(try machine.values("Tag", "label").map(\.count) == [5, 2_000_000])
            // The next save finds out what became of it.
            try machine.insert("Tag", ["label": "third"])
            #expect(try database.run("SELECT 1 FROM $\"ZTAG\"").rowCount == 3)
        }
    }
}
#endif
