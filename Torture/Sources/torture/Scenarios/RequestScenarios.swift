import CoreData
import Foundation

extension Scenario {
    /// Requests that write without objects, and the history.
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
        Scenario(
            name: "history-reading",
            template: { try Samples.filled(store(in: $0), Stack.history) },
            begin: { folder in
                let stack = try Stack(store(in: folder), options: Stack.history)
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    let context = stack.makeContext()
                    let request = NSPersistentHistoryChangeRequest.fetchHistory(
                        after: Date.distantPast
                    )
                    let result = try context.inQueue { try context.execute(request) }
                    let history = (result as? NSPersistentHistoryResult)?.result
                    let changes = (history as? [NSPersistentHistoryTransaction] ?? [])
                        .flatMap { $0.changes ?? [] }
                    return changes.count == 45 ? [] : ["\(changes.count) changes in the history"]
                }
            }
        ),
        Scenario(
            name: "history-deleting",
            template: { try Samples.filled(store(in: $0), Stack.history) },
            begin: { folder in
                let stack = try Stack(store(in: folder), options: Stack.history)
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    let context = stack.makeContext()
                    let request = NSPersistentHistoryChangeRequest.deleteHistory(
                        before: Date.distantFuture
                    )
                    _ = try context.inQueue { try context.execute(request) }
                    return []
                }
            }
        ),
    ]

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
