import CoreData
import Foundation

extension Scenario {
    /// Requests that write without objects.
    static let requests: [Scenario] = [
        request("batch-insert") {
            NSBatchInsertRequest(
                entityName: "Tag",
                objects: (0..<10).map { ["name": "batch\($0)"] }
            )
        },
        request("batch-update") {
            let request = NSBatchUpdateRequest(entityName: "Item")
            request.propertiesToUpdate = ["value": 77]
            return request
        },
        request("batch-delete") {
            let items = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
            items.predicate = NSPredicate(format: "value < 12")
            return NSBatchDeleteRequest(fetchRequest: items)
        },
        request("batch-insert-many") {
            NSBatchInsertRequest(
                entityName: "Item",
                objects: (0..<400).map {
                    ["name": "batch\($0)", "note": String(repeating: "b", count: 300)]
                }
            )
        },
        request("batch-insert-handler") {
            let counter = Counter()
            return NSBatchInsertRequest(
                entityName: "Owner",
                dictionaryHandler: { values in
                    values["name"] = "made \(counter.number)"
                    counter.number += 1
                    return counter.number > 30
                }
            )
        },
        // What others lead to is nullified, in the rows and in the links.
        request("batch-delete-owners") {
            let owners = NSFetchRequest<any NSFetchRequestResult>(entityName: "Owner")
            owners.predicate = NSPredicate(format: "name != 'owner0'")
            return NSBatchDeleteRequest(fetchRequest: owners)
        },
        request("batch-delete-tags") {
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag"))
        },
        // The lists go, and their entries with them.
        request("batch-delete-lists") {
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "List"))
        },
        // Their values are in files of their own.
        request("batch-delete-blobs") {
            let items = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
            items.predicate = NSPredicate(format: "data != nil")
            return NSBatchDeleteRequest(fetchRequest: items)
        },
    ]

    private final class Counter { var number = 0 }

    private static func request(
        _ name: String,
        _ make: @escaping () -> NSPersistentStoreRequest
    ) -> Scenario {
        Scenario(
            name: name,
            template: { try Samples.filled(store(in: $0), Stack.history) },
            begin: { folder in
                let stack = try Stack(store(in: folder), options: Stack.history)
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    let context = stack.makeContext()
                    _ = try context.inQueue { try context.execute(make()) }
                    return []
                }
            }
        )
    }
}
