import CSQLiteFaults
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Saves for which SQLite's memory is short, at each allocation in turn: an error, nothing lost,
/// and the next save works. In a process of their own, which has SQLite's memory to itself.
@Suite struct ShortMemoryTests {
    @Test func everyFailedAllocationOfASaveIsSurvived() async {
        await #expect(processExitsWith: .success) { try ShortMemoryTests.exhaust(lasts: false) }
    }

    @Test func lastingShortageIsSurvived() async {
        await #expect(processExitsWith: .success) { try ShortMemoryTests.exhaust(lasts: true) }
    }

    fileprivate struct Finding: Error, CustomStringConvertible {
        let description: String
    }

    fileprivate static func exhaust(lasts: Bool) throws {
        guard faulty_memory_install() == 0 else { throw Finding(description: "not installed") }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Memory-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print(error)
            }
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreModel.make())
        _ = try coordinator.addPersistentStore(
            type: .sqlite,
            at: folder.appendingPathComponent("Store.sqlite")
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var saved = 0, number = 0, failureCount = 0
        repeat {
            number += 1
            try context.onQueue {
                let name = "n\(number)"
                let person = context.insert(
                    "Person",
                    ["name": name, "photo": Data(repeating: UInt8(number & 255), count: 3_000)]
                )
                faulty_memory_arm(Int32(number), lasts ? 1 : 0)
                let result = Result { try context.save() }
                faulty_memory_arm(0, 0)
                if case .failure(let error) = result {
                    failureCount += 1
                    guard error is CocoaError else {
                        throw Finding(description: "\(number): \(error)")
                    }
                    guard person.isInserted else {
                        throw Finding(description: "\(number): the object is not dirty")
                    }
                    try context.save()
                }
                saved += 1
                context.reset()
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.predicate = NSPredicate(format: "name == %@", name)
                let found = try context.fetch(request)
                guard found.count == 1,
                    (found[0].value(forKey: "photo") as? Data)?.count == 3_000
                else { throw Finding(description: "\(number): \(found.count) rows, or no photo") }
                request.predicate = nil
                guard try context.count(for: request) == saved else {
                    throw Finding(description: "\(number): rows are lost or twice there")
                }
            }
            faulty_memory_arm(0, 0)
        } while number < 400
        guard failureCount > 10 else { throw Finding(description: "\(failureCount) failures") }
    }
}
