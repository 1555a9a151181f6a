import CoreData
import TestSupport
import Testing

@Suite struct HistoryTests {
    private static var tracking: [AnyHashable: Any] {
        [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
    }

    private func withTracking(
        model: NSManagedObjectModel = SampleModel.make(),
        _ body: (TestStack, NSManagedObjectContext) throws -> Void
    ) throws {
        try withStack(.sqlite, model: model, options: Self.tracking) { stack in
            let context = stack.makeContext("worker")
            try context.onQueue { try body(stack, context) }
        }
    }

    private func transactions(
        _ context: NSManagedObjectContext,
        _ request: NSPersistentHistoryChangeRequest = .fetchHistory(after: Date.distantPast)
    ) throws -> [NSPersistentHistoryTransaction] {
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }

    @Test func eachSaveIsATransactionThatSaysWhatAndWho() throws {
        try withTracking { stack, context in
            context.transactionAuthor = "importer"
            let before = Date()
            let maths = context.make("Department", ["name": "Maths"])
            let ada = context.make("Employee", ["name": "Ada", "department": maths])
            try context.save()
            context.transactionAuthor = nil
            ada.setValue("Ada L.", forKey: "name")
            ada.setValue(7, forKey: "salary")
            try context.save()
            context.delete(ada)
            try context.save()

            let history = try transactions(context)
            #expect(history.map(\.transactionNumber) == [1, 2, 3])
            #expect(history.map(\.author) == ["importer", nil, nil])
            #expect(history.allSatisfy { $0.contextName == "worker" && !$0.processID.isEmpty })
            #expect(
                history.allSatisfy {
                    $0.storeID == stack.coordinator.persistentStores[0].identifier
                }
            )
            #expect(history[0].timestamp >= before.addingTimeInterval(-1))
            let inserts = try #require(history[0].changes)
            #expect(inserts.allSatisfy { $0.changeType == .insert && $0.updatedProperties == nil })
            #expect(Set(inserts.map(\.changedObjectID)) == [maths.objectID, ada.objectID])
            let update = try #require(
                history[1].changes?.first { $0.changedObjectID == ada.objectID }
            )
            #expect(update.changeType == .update && update.transaction === history[1])
            #expect(Set(update.updatedProperties?.map(\.name) ?? []) == ["name", "salary"])
            let delete = try #require(history[2].changes?.first { $0.changeType == .delete })
            #expect(delete.changedObjectID == ada.objectID && delete.tombstone == nil)
        }
    }

    @Test func whatFollowsATokenIsWhatCameAfterIt() throws {
        try withTracking { stack, context in
            #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
            context.make("Tag", ["label": "a"])
            try context.save()
            let token = try #require(
                stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
            )
            let archive = try NSKeyedArchiver.archivedData(
                withRootObject: token,
                requiringSecureCoding: true
            )
            let kept = try #require(
                try NSKeyedUnarchiver.unarchivedObject(
                    ofClass: NSPersistentHistoryToken.self,
                    from: archive
                )
            )
            #expect(kept == token)
            context.make("Tag", ["label": "b"])
            try context.save()
            let after = try transactions(context, .fetchHistory(after: kept))
            #expect(after.map(\.transactionNumber) == [2])
            let next = try transactions(context, .fetchHistory(after: after[0]))
            #expect(next.isEmpty)
            let nothing: NSPersistentHistoryToken? = nil
            #expect(try transactions(context, .fetchHistory(after: nothing)).count == 2)
            #expect(
                after[0].token == stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
            )
        }
    }

    @Test func deletedHistoryIsGoneAndAskingForItIsAnError() throws {
        try withTracking { _, context in
            for label in ["a", "b", "c"] {
                context.make("Tag", ["label": label])
                try context.save()
            }
            let all = try transactions(context)
            let delete = NSPersistentHistoryChangeRequest.deleteHistory(before: all[2])
            delete.resultType = .count
            let result = try context.execute(delete) as? NSPersistentHistoryResult
            #expect(result?.result as? Int == 2)
            #expect(try transactions(context).map(\.transactionNumber) == [3])
            #expect(try transactions(context, .fetchHistory(after: all[1])).count == 1)
            let code = errorCode {
                _ = try transactions(context, .fetchHistory(after: all[0].token))
            }
            #expect(code == NSPersistentHistoryTokenExpiredError)
        }
    }

    @Test func tombstonesKeepWhatIsToBePreserved() throws {
        let model = SampleModel.make()
        for name in ["identifier", "name", "age", "height"] {
            let property = model.entitiesByName["Person"]?.propertiesByName[name]
            (property as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion = true
        }
        try withTracking(model: model) { _, context in
            let identifier = UUID()
            let ada = context.make(
                "Employee",
                ["name": "Ada", "identifier": identifier, "age": 36, "salary": 1]
            )
            let bob = context.make("Person", ["name": "Bob", "height": 1.75])
            try context.save()
            context.delete(ada)
            try context.save()
            let request = NSBatchDeleteRequest(objectIDs: [bob.objectID])
            try context.execute(request)
            let deletes = try transactions(context).flatMap { $0.changes ?? [] }
                .filter { $0.changeType == .delete }
            #expect(deletes.count == 2)
            let tombstone = try #require(deletes[0].tombstone)
            #expect(tombstone.count == 3)
            #expect(tombstone["name"] as? String == "Ada")
            #expect(tombstone["identifier"] as? UUID == identifier)
            #expect(tombstone["age"] as? Int == 36)
            #expect(deletes[1].tombstone?["name"] as? String == "Bob")
            #expect(deletes[1].tombstone?["height"] as? Double == 1.75)
            #expect(deletes[1].tombstone?.count == 2)
        }
    }

    @Test func requestsPickTransactionsAndChanges() throws {
        try withTracking { _, context in
            for author in ["a", "b", "a"] {
                context.transactionAuthor = author
                context.make("Tag", ["label": author])
                context.make("Song", ["title": author])
                try context.save()
            }
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            fetch.predicate = NSPredicate(format: "author != %@", "b")
            fetch.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
            let picked = try transactions(context, .fetchHistory(withFetch: fetch))
            #expect(picked.map(\.transactionNumber) == [3, 1])
            let changes = try #require(NSPersistentHistoryChange.fetchRequest)
            changes.predicate = NSPredicate(
                format: "changedEntity == 'Song' AND transaction.author == 'a'"
            )
            let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: changes)
            request.resultType = .changesOnly
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let found = try #require(result?.result as? [NSPersistentHistoryChange])
            #expect(found.map(\.changedObjectID.entity.name) == ["Song", "Song"])
            changes.predicate = NSPredicate(format: "colour == 1")
            #expect(throws: (any Error).self) { try context.execute(request) }
        }
    }

    @Test func batchRequestsAreTold() throws {
        try withTracking { _, context in
            context.transactionAuthor = "batch"
            let insert = NSBatchInsertRequest(
                entityName: "Tag",
                objects: [["label": "x"], ["label": "y"]]
            )
            try context.execute(insert)
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["label": "z"]
            update.predicate = NSPredicate(format: "label == 'x'")
            try context.execute(update)
            let history = try transactions(context)
            #expect(history.map(\.author) == ["batch", "batch"])
            #expect(history[0].changes?.map(\.changeType) == [.insert, .insert])
            let change = try #require(history[1].changes?.first)
            #expect(change.updatedProperties?.map(\.name) == ["label"])
        }
    }

    @Test func aTransactionMergesAsItsSaveWould() throws {
        try withTracking { stack, context in
            let ada = context.make("Person", ["name": "Ada"])
            let bob = context.make("Person", ["name": "Bob"])
            try context.save()
            let other = stack.makeContext()
            let token = try #require(
                stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
            )
            let seen = try other.onQueue {
                try other.all("Person", sortedBy: "name").map { $0.text("name") }
            }
            #expect(seen == ["Ada", "Bob"])
            let held = try other.onQueue { try other.all("Person", sortedBy: "name") }
            ada.setValue("Ada L.", forKey: "name")
            context.delete(bob)
            try context.save()
            let history = try transactions(context, .fetchHistory(after: token))
            let notification = try #require(history.first).objectIDNotification()
            #expect(notification.ids(NSUpdatedObjectIDsKey) == [ada.objectID])
            #expect(notification.ids(NSDeletedObjectIDsKey) == [bob.objectID])
            other.onQueue {
                other.mergeChanges(fromContextDidSave: notification)
                #expect(held[0].text("name") == "Ada L.")
                #expect(held[1].isDeleted || held[1].managedObjectContext == nil)
            }
        }
    }

    @Test func aStoreWithHistoryGoesOnKeepingIt() throws {
        try withTracking { stack, context in
            context.make("Tag", ["label": "a"])
            try context.save()
            let coordinator = stack.coordinator
            try coordinator.remove(coordinator.persistentStores[0])
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url
            )
            context.reset()
            context.make("Tag", ["label": "b"])
            try context.save()
            #expect(try transactions(context).count == 2)
        }
    }

    /// Apple posts it without documenting it; who follows a history from its own saves on needs it.
    @Test func aSaveTellsItsPlaceInTheHistory() throws {
        try withTracking { stack, context in
            let first = try didSave(of: context) { $0.make("Tag", ["label": "a"]) }
            let token = try #require(
                first.userInfo?["newChangeToken"] as? NSPersistentHistoryToken
            )
            #expect(token == stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
            let second = try didSave(of: context) { $0.make("Tag", ["label": "b"]) }
            let after = try transactions(context, .fetchHistory(after: token))
            #expect(after.count == 1)
            let next = second.userInfo?["newChangeToken"] as? NSPersistentHistoryToken
            #expect(next == after.first?.token)
        }
        try withStack(.sqlite) { stack in
            let saved = try didSave(of: stack.makeContext()) { $0.make("Tag", ["label": "a"]) }
            #expect(saved.userInfo?["newChangeToken"] == nil)
        }
    }

    @Test func storesWithoutHistoryHaveNone() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "a"])
                try context.save()
                #expect(try transactions(context).isEmpty)
                #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
            }
        }
        try withContext(.inMemory) { context in
            let code = errorCode { _ = try transactions(context) }
            #expect(code == NSPersistentStoreUnsupportedRequestTypeError)
        }
    }

    @Test func savesAndBatchesPostRemoteChangesWhereAskedFor() throws {
        var options = Self.tracking
        options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = NSNumber(value: true)
        try withStack(.sqlite, options: options) { stack in
            let context = stack.makeContext()
            let log = RemoteChangeLog(stack.coordinator)
            try context.onQueue {
                context.make("Tag", ["label": "a"])
                try context.save()
                try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [[:]]))
            }
            log.stop()
            #expect(log.notifications.count == 2)
            let info = try #require(log.notifications.last?.userInfo)
            #expect(
                info[NSStoreUUIDKey] as? String == stack.coordinator.persistentStores[0].identifier
            )
            #expect((info[NSPersistentStoreURLKey] as? URL)?.path == stack.url.path)
            let token = info[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            #expect(token == stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
    }
}

/// The remote changes that a coordinator has posted.
private final class RemoteChangeLog: @unchecked Sendable {
    // @unchecked: posted on the context's queue, which the test waits for.
    private(set) var notifications: [Notification] = []
    private var token: (any NSObjectProtocol)?

    init(_ coordinator: NSPersistentStoreCoordinator) {
        token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange,
            object: coordinator,
            queue: nil
        ) { [weak self] in self?.notifications.append($0) }
    }

    func stop() { token.map(NotificationCenter.default.removeObserver) }
}
