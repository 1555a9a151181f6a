import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Saves of which each file operation fails: an error, the objects stay changed, and what is in the
/// file is what was saved before or all of the save, values in files of their own too.
@Suite(.serialized) struct InterruptedSaveTests {
    private static func model() -> NSManagedObjectModel {
        let photo = makeAttribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        return makeModel([makeEntity("Note", [makeAttribute("name"), photo])])
    }

    private static func photo(_ number: Int) -> Data {
        Data(repeating: UInt8(number), count: 200_000 + number)
    }

    private static func open(_ url: URL) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        _ = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// The notes by name with the sizes of their photos.
    private static func content(_ context: NSManagedObjectContext) throws -> [String: Int] {
        context.reset()
        let notes = try context.objects("Note", by: "name")
        return Dictionary(
            uniqueKeysWithValues: notes.map {
                ($0.text("name") ?? "", ($0.value(forKey: "photo") as? Data)?.count ?? 0)
            }
        )
    }

    @Test(arguments: FaultyFiles.Fault.allCases)
    func aSaveIsThereAsAWholeOrNotAtAll(fault: FaultyFiles.Fault) throws {
        FaultyFiles.install
        var target = 0, operationCount = 0, failureCount = 0
        repeat {
            target += 1
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("Saves-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appendingPathComponent("Store.sqlite")
            let before = ["a": 200_001], after = ["a": 200_002, "b": 200_003]
            var hasFailed = false
            var context: NSManagedObjectContext?
            // Files are watched from their opening on.
            _ = FaultyFiles.whileFailing(fault, at: 0, in: folder) {
                do {
                    context = try Self.open(url)
                } catch {
                    Issue.record(error)
                }
            }
            try context?.onQueue {
                guard let context else { return }
                let first = context.insert("Note", ["name": "a", "photo": Self.photo(1)])
                try context.save()
                first.setValue(Self.photo(2), forKey: "photo")
                let second = context.insert("Note", ["name": "b", "photo": Self.photo(3)])
                operationCount = FaultyFiles.whileFailing(fault, at: target, in: folder) {
                    do {
                        try context.save()
                    } catch {
                        hasFailed = true
                        #expect(error is CocoaError, "operation \(target): \(error)")
                        #expect(first.isUpdated && second.isInserted)
                    }
                }
                guard fault == .once, hasFailed else { return }
                try context.save()
                let content = try Self.content(context)
                #expect(content == after, "operation \(target)")
            }
            if hasFailed { failureCount += 1 }
            if fault == .fromThenOn {
                // Another process finds what a killed one has left.
                let copy = folder.appendingPathComponent("Copy", isDirectory: true)
                try FileManager.default.createDirectory(
                    at: copy,
                    withIntermediateDirectories: true
                )
                for name in ["Store.sqlite", "Store.sqlite-wal", ".Store_SUPPORT"] {
                    try FileManager.default.copyItem(
                        at: folder.appendingPathComponent(name),
                        to: copy.appendingPathComponent(name)
                    )
                }
                let other = try Self.open(copy.appendingPathComponent("Store.sqlite"))
                let content = try other.performAndWait { try Self.content(other) }
                #expect(content == after || (hasFailed && content == before), "\(target)")
            }
            context = nil
            try FileManager.default.removeItem(at: folder)
        } while target <= operationCount
        #expect(failureCount > 3)
    }
}
