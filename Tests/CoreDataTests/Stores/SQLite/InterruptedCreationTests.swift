import Foundation
import Testing

@testable import CoreData

/// Stores whose creation or end stops half-way: what is there can be opened again.
@Suite(.serialized) struct InterruptedCreationTests {
    private static var options: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: true,
            NSInferMappingModelAutomaticallyOption: true,
        ]
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Interrupted-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Issue.record(error)
            }
        }
        try body(folder.appendingPathComponent("Store.sqlite"))
    }

    /// Adds a store, saves one object and removes the store again; gives the number of objects.
    private func use(_ url: URL) throws -> Int {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreModel.make())
        _ = try coordinator.addPersistentStore(type: .sqlite, at: url, options: Self.options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue("t", forKey: "title")
            try context.save()
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        }
    }

    @Test(arguments: FaultyFiles.Fault.allCases)
    func aStoreWhoseCreationFailedIsMadeTheNextTime(fault: FaultyFiles.Fault) throws {
        FaultyFiles.install
        var target = 0, operationCount = 0, failureCount = 0
        repeat {
            target += 1
            try withFolder { url in
                let folder = url.deletingLastPathComponent()
                operationCount = FaultyFiles.whileFailing(fault, at: target, in: folder) {
                    do {
                        let coordinator = NSPersistentStoreCoordinator(
                            managedObjectModel: StoreModel.make()
                        )
                        _ = try coordinator.addPersistentStore(
                            type: .sqlite,
                            at: url,
                            options: Self.options
                        )
                    } catch {
                        failureCount += 1
                        #expect(error is CocoaError)
                    }
                }
                do {
                    #expect(try use(url) == 1)
                } catch {
                    Issue.record("operation \(target): \(error)")
                }
            }
        } while target <= operationCount
        #expect(failureCount > 10)
    }

    @Test(arguments: FaultyFiles.Fault.allCases)
    func aStoreWhoseEndFailedIsWholeOrEmpty(fault: FaultyFiles.Fault) throws {
        FaultyFiles.install
        var target = 0, operationCount = 0
        var counts: Set<Int> = []
        repeat {
            target += 1
            try withFolder { url in
                _ = try use(url)
                _ = try use(url)
                let folder = url.deletingLastPathComponent()
                operationCount = FaultyFiles.whileFailing(fault, at: target, in: folder) {
                    do {
                        try NSPersistentStoreCoordinator(managedObjectModel: StoreModel.make())
                            .destroyPersistentStore(at: url, type: .sqlite)
                    } catch {
                        #expect(error is CocoaError)
                    }
                }
                // One object more than there were.
                do {
                    counts.insert(try use(url))
                } catch {
                    Issue.record("operation \(target): \(error)")
                }
            }
        } while target <= operationCount
        #expect(counts == [1, 3] && target > 4)
    }
}
