#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A server whose disk has no room for the store's tables any more: a small one in memory, which
/// only an administrator can mount.
@Suite(.enabled(if: PostgreSQLServer.isInstalled && SmallTablespace.isPossible))
struct FullDiskTests {
    private static func insert(_ context: NSManagedObjectContext, _ index: Int) {
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        // The server would compress what repeats itself.
        let text = (0..<1_000).map { _ in UUID().uuidString }.joined()
        tag.setValue("\(index) \(text)", forKey: "label")
    }

    @Test func aSaveThrowsAndLosesNothingAndPassesWhenThereIsRoom() throws {
        let server = try PostgreSQLServer()
        defer { #expect(throws: Never.self) { try server.stop() } }
        let space = try SmallTablespace(on: server, kilobytes: 3_000)
        try space.fill(kilobytes: 1_000)
        let database = try SharedDatabase(at: space.url)
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
            try space.empty()
            try context.save()
            try two.catchUp()
            #expect(try two.values("Tag", "label").count == savedCount + 1)
        }
    }
}

/// A place for tables on a disk of a few megabytes, and a database that has its tables there.
private final class SmallTablespace: Sendable {
    /// Whether this process may mount disks.
    static let isPossible: Bool = {
        do {
            let folder = try makeDisk(kilobytes: 100)
            try remove(folder)
            return true
        } catch {
            return false
        }
    }()
    let url: URL
    private let folder: URL
    private var ballast: URL { folder.appendingPathComponent("ballast") }

    init(on server: PostgreSQLServer, kilobytes: Int) throws {
        folder = try Self.makeDisk(kilobytes: kilobytes)
        url = server.url("small")
        let tables = folder.appendingPathComponent("tables")
        try FileManager.default.createDirectory(at: tables, withIntermediateDirectories: true)
        _ = try ChildProgram.output(["chown", "postgres", folder.path, tables.path])
        let connection = try PostgreSQLConnection(ServerAddress(server.url, options: nil))
        try connection.run("CREATE TABLESPACE small LOCATION '\(tables.path)'")
        try connection.run("CREATE DATABASE small")
        try connection.run("ALTER DATABASE small SET default_tablespace = small")
    }

    deinit {
        do {
            try Self.remove(folder)
        } catch {
            print("A small disk of a test could not be removed: \(error)")
        }
    }

    private static func makeDisk(kilobytes: Int) throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("SmallTablespace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let options = "size=\(kilobytes)k"
        do {
            _ = try ChildProgram.output(
                ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.path],
                withErrors: true
            )
        } catch {
            try FileManager.default.removeItem(at: folder)
            throw error
        }
        return folder
    }

    private static func remove(_ folder: URL) throws {
        // Lazily: the server may have files open.
        _ = try ChildProgram.output(["umount", "-l", folder.path])
        try FileManager.default.removeItem(at: folder)
    }

    /// Takes some of the room.
    func fill(kilobytes: Int) throws {
        try Data(repeating: 1, count: kilobytes << 10).write(to: ballast)
    }

    func empty() throws { try FileManager.default.removeItem(at: ballast) }
}
#endif
