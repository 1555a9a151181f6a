import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The write-ahead log goes into the database, whatever makes it grow.
@Suite struct LogSizeTests {
    private static func model(allowsExternal: Bool = false) -> NSManagedObjectModel {
        let photo = makeAttribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = allowsExternal
        let note = makeEntity("Note", [makeAttribute("name"), photo])
        note.managedObjectClassName = "NSManagedObject"
        return makeModel([note])
    }

    private static func size(_ url: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int ?? 0
    }

    /// Savers wait for the log to be written back where it is very long.
    @Test func aVeryLongSaveIsWrittenBackByItself() throws {
        let stack = try TestStack(.sqlite, model: Self.model())
        let context = stack.makeContext()
        let count = 70, photo = Data(repeating: 7, count: 1_000_000)
        try context.onQueue {
            for number in 0..<count {
                context.insert("Note", ["name": "\(number)", "photo": photo])
            }
            try context.save()
        }
        #expect(Self.size(stack.url) > count * photo.count)
    }

    @Test func whatABatchHasWrittenIsWrittenBackSoon() async throws {
        let stack = try TestStack(.sqlite, model: Self.model())
        let context = stack.makeContext()
        let count = 8, photo = Data(repeating: 7, count: 1_000_000)
        try context.onQueue {
            let rows = (0..<count).map { ["name": "\($0)", "photo": photo] as [String: Any] }
            try context.execute(NSBatchInsertRequest(entityName: "Note", objects: rows))
            let update = NSBatchUpdateRequest(entityName: "Note")
            update.propertiesToUpdate = ["name": "n"]
            try context.execute(update)
        }
        let url = stack.url
        try await eventually("the log is in the database") { Self.size(url) > count * photo.count }
        withExtendedLifetime(stack) {}
    }

    /// Copied in small parts: a save that is committed meanwhile waits for the disk.
    @Test func someHundredPagesAreWrittenBackSoon() async throws {
        let stack = try TestStack(.sqlite, model: Self.model())
        let context = stack.makeContext()
        let photo = Data(repeating: 7, count: 1_500_000)
        try context.onQueue {
            context.insert("Note", ["name": "n", "photo": photo])
            try context.save()
        }
        let url = stack.url
        try await eventually("the log is in the database") { Self.size(url) > photo.count }
        withExtendedLifetime(stack) {}
    }

    /// Where commits may be lost with the power, a file goes only after its row is safely gone.
    @Test func filesOfDeletedRowsGoWithQuickCommits() async throws {
        let stack = try TestStack(
            .sqlite,
            model: Self.model(allowsExternal: true),
            options: [NSSQLitePragmasOption: ["synchronous": "NORMAL"]]
        )
        let folder = stack.url.deletingLastPathComponent()
            .appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        @Sendable func names() -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        }
        let context = stack.makeContext()
        try context.onQueue {
            let photo = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let note = context.insert("Note", ["name": "n", "photo": photo])
            try context.save()
            #expect(names().count == 1)
            context.delete(note)
            try context.save()
        }
        try await eventually("the file is gone") { names().isEmpty }
        withExtendedLifetime(stack) {}
    }
}
