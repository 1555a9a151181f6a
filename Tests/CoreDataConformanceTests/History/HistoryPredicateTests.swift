import CoreData
import TestSupport
import Testing

/// What requests for parts of a history pick.
@Suite struct HistoryPredicateTests {
    private func withHistory(
        _ body: (TestStack, NSManagedObjectContext) throws -> Void
    ) throws {
        let options = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        try withStack(.sqlite, options: options) { stack in
            let context = stack.makeContext("worker")
            try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                try context.save()
                tag.setValue("b", forKey: "label")
                context.make("Person", ["name": "Ada"])
                try context.save()
                context.delete(tag)
                try context.save()
                try body(stack, context)
            }
        }
    }

    private func history<Element>(
        _ context: NSManagedObjectContext,
        _ fetch: NSFetchRequest<any NSFetchRequestResult>?,
        _ predicate: NSPredicate,
        _ type: NSPersistentHistoryResultType = .transactionsAndChanges,
        as elements: Element.Type = NSPersistentHistoryTransaction.self
    ) throws -> [Element] {
        let fetch = try #require(fetch)
        fetch.predicate = predicate
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        request.resultType = type
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [Element])
    }

    private var transactions: NSFetchRequest<any NSFetchRequestResult>? {
        NSPersistentHistoryTransaction.fetchRequest
    }
    private var changes: NSFetchRequest<any NSFetchRequestResult>? {
        NSPersistentHistoryChange.fetchRequest
    }

    @Test func transactionsCompareWithATokenByTheirPlace() throws {
        try withHistory { stack, context in
            let all = try history(context, transactions, NSPredicate(value: true))
            let token = all[1].token
            func numbers(_ sign: String, _ token: NSPersistentHistoryToken) throws -> [Int64] {
                try history(
                    context,
                    transactions,
                    NSPredicate(format: "token \(sign) %@", token)
                ).map(\.transactionNumber)
            }
            #expect(try numbers(">", token) == [3])
            #expect(try numbers(">=", token) == [2, 3])
            #expect(try numbers("==", token) == [2])
            #expect(try numbers("!=", token) == [1, 3])
            #expect(try numbers("<", token) == [1])
            #expect(try numbers("<=", token) == [1, 2])
            let current = try #require(
                stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
            )
            #expect(try numbers(">", current) == [])
            #expect(try numbers("==", current) == [3])
            let later = try history(
                context,
                changes,
                NSPredicate(format: "transaction.token > %@", token),
                .changesOnly,
                as: NSPersistentHistoryChange.self
            )
            #expect(later.map(\.changeType) == [.delete])
        }
    }

    /// A token that knows nothing of a store stands before all of its history.
    @Test func tokensOfOtherStoresComeFirst() throws {
        try withHistory { _, other in
            let token = try history(other, transactions, NSPredicate(value: true))[2].token
            try withHistory { _, context in
                let found = try history(
                    context,
                    transactions,
                    NSPredicate(format: "token > %@", token)
                )
                #expect(found.count == 3)
            }
        }
    }

    @Test func changesKnowTheirEntityByNameAndDescription() throws {
        try withHistory { _, context in
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Person", in: context)
            )
            for argument in [entity, "Person" as NSString] as [NSObject] {
                let found = try history(
                    context,
                    changes,
                    NSPredicate(format: "changedEntity == %@", argument),
                    .changesOnly,
                    as: NSPersistentHistoryChange.self
                )
                #expect(found.map { $0.changedObjectID.entity.name } == ["Person"])
            }
        }
    }

    @Test func pickedChangesNarrowTheirTransactions() throws {
        try withHistory { _, context in
            let update = NSPersistentHistoryChangeType.update.rawValue
            let predicate = NSPredicate(format: "changeType == %d", update)
            let found = try history(context, changes, predicate)
            #expect(found.map(\.transactionNumber) == [2])
            #expect(found.first?.changes?.map(\.changeType) == [.update])
            #expect(found.first?.changes?.first?.transaction === found.first)
            let bare = try history(context, changes, predicate, .transactionsOnly)
            #expect(bare.map(\.transactionNumber) == [2])
            #expect(bare.first?.changes == nil)
        }
    }

    @Test func transactionsOnlyComeWithoutTheirChanges() throws {
        try withHistory { _, context in
            let predicate = NSPredicate(format: "contextName == %@", "worker")
            let found = try history(context, transactions, predicate, .transactionsOnly)
            #expect(found.count == 3)
            #expect(found.allSatisfy { $0.changes == nil })
        }
    }

    /// A child's batch goes up to its root, and so is the root's in the history.
    @Test func batchesOfAChildAreItsRoots() throws {
        try withHistory { stack, context in
            let root = stack.makeContext("root")
            root.transactionAuthor = "root's author"
            let middle = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            middle.parent = root
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = middle
            try child.onQueue {
                let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]])
                try child.execute(insert)
                let update = NSBatchUpdateRequest(entityName: "Tag")
                update.propertiesToUpdate = ["label": "y"]
                try child.execute(update)
                let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
                try child.execute(NSBatchDeleteRequest(fetchRequest: all))
            }
            let found = try history(
                context,
                transactions,
                NSPredicate(format: "author == %@", "root's author")
            )
            #expect(found.count == 3)
            #expect(found.allSatisfy { $0.contextName == "root" })
        }
    }
}
