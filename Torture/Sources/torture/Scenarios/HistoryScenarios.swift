import CoreData
import Foundation

extension Scenario {
    /// The history: read, and cut back.
    static let history: [Scenario] = [
        read("history-reading") { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let changes = try transactions(context, request).flatMap { $0.changes ?? [] }
            return changes.count == 48 ? [] : ["\(changes.count) changes in the history"]
        },
        read("history-of-an-author") { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
            request.fetchRequest?.predicate = NSPredicate(format: "author == 'second'")
            let found = try transactions(context, request)
            return found.count == 1 && found[0].author == "second"
                ? [] : ["\(found.count) transactions of an author"]
        },
        trim("history-deleting") { _ in
            NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        },
        trim("history-trimming") { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let last = try transactions(context, request).last
            return NSPersistentHistoryChangeRequest.deleteHistory(before: last)
        },
    ]

    private static func fill(_ folder: URL) throws {
        let url = store(in: folder)
        try Samples.filled(url, Stack.history)
        let stack = try Stack(url, options: Stack.history)
        try stack.save { context in
            context.transactionAuthor = "second"
            for item in try context.all("Item").prefix(2) {
                item.setValue("second", forKey: "note")
            }
            context.make("Item", "later")
        }
        try stack.close()
    }

    private static func transactions(
        _ context: NSManagedObjectContext,
        _ request: NSPersistentHistoryChangeRequest
    ) throws -> [NSPersistentHistoryTransaction] {
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    private static func read(
        _ name: String,
        _ body: @escaping (NSManagedObjectContext) throws -> [String]
    ) -> Scenario {
        Scenario(
            name: name,
            template: fill,
            begin: { folder in
                let stack = try Stack(store(in: folder), options: Stack.history)
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    let context = stack.makeContext()
                    return try context.inQueue { try body(context) }
                }
            }
        )
    }

    private static func trim(
        _ name: String,
        _ request: @escaping (NSManagedObjectContext) throws -> NSPersistentHistoryChangeRequest
    ) -> Scenario {
        Scenario(
            name: name,
            template: fill,
            begin: { folder in
                let stack = try Stack(store(in: folder), options: Stack.history)
                // What is left is the last transaction, or nothing.
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    let context = stack.makeContext()
                    return try context.inQueue {
                        _ = try context.execute(request(context))
                        let rest = try transactions(context, .fetchHistory(after: Date.distantPast))
                        return rest.count < 2 ? [] : ["\(rest.count) transactions are left"]
                    }
                }
            }
        )
    }
}
