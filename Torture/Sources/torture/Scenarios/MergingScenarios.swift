import CoreData
import Foundation
import MergeStack

extension Scenario {
    /// Merges that have to read.
    static let merging: [Scenario] = [
        Scenario(
            name: "merging-results",
            template: { try Samples.filled(store(in: $0)) },
            begin: { try ResultsAttempt(Stack(store(in: $0))) }
        ),
        Scenario(
            name: "merging-identifiers",
            template: { try Samples.filled(store(in: $0)) },
            begin: { try IdentifiersAttempt(Stack(store(in: $0))) }
        ),
        following,
    ]

    /// What another coordinator has saved is read in the history, and merged.
    private static let following = Scenario(
        name: "merging-history",
        template: { try Samples.filled(store(in: $0), followed) },
        begin: { folder in
            let description = NSPersistentStoreDescription(url: store(in: folder))
            for (key, value) in followed {
                description.setOption(value as? NSObject, forKey: key as? String ?? "")
            }
            let stack = try NotificationMergeStack(
                model: TortureModel.first,
                stores: [description],
                options: MergeOptions(remoteChanges: .merged)
            )
            let items = try stack.mainContext.all("Item")
            let other = try Stack(store(in: folder), options: followed)
            try other.save { context in
                for item in try context.all("Item") { item.setValue(Int64(70), forKey: "value") }
                context.make("Item", "of another one")
            }
            try other.close()
            let isMerged = Kept<Bool>()
            // What could not be read for the merge is a fault, which is read when it is asked for.
            let check = {
                let values = Set(items.map { $0.value(forKey: "value") as? Int64 })
                return isMerged.value != true || values == [70]
                    ? [] : ["main shows \(values.count) values"]
            }
            return StepAttempt(
                store(in: folder),
                check: check,
                finish: { try stack.tearDown() },
                step: {
                    let result = Guarded<Result<Void, any Error>?>(nil)
                    stack.merger.mergeRemoteChanges { end in result.withLock { $0 = end } }
                    while result.value == nil {
                        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.001))
                    }
                    try result.value?.get()
                    isMerged.value = true
                    return []
                }
            )
        }
    )

    private static var followed: [AnyHashable: Any] {
        [
            NSPersistentHistoryTrackingKey: true as NSNumber,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber,
        ]
    }
}

/// A save is merged into a context with a results controller, whose list depends on what has to be
/// read. A merge can't throw: once nothing fails any more, and the controller has fetched again, all
/// agree.
///
/// @unchecked: used by one thread, which waits where others do something for it.
private final class ResultsAttempt: NSObject, Attempt, NSFetchedResultsControllerDelegate,
    @unchecked Sendable
{
    var url: URL { stack.url }
    private let stack: Stack
    private let main: NSManagedObjectContext
    private let controller: NSFetchedResultsController<NSManagedObject>
    private var saved: Notification?

    init(_ stack: Stack) throws {
        self.stack = stack
        let main = stack.makeContext()
        self.main = main
        controller = main.inQueue { Scenario.makeController(main, sections: "owner.name") }
        super.init()
        try main.inQueue {
            controller.fetchRequest.predicate = NSPredicate(
                format: "owner.name != 'owner0' AND ANY tags.name IN {'tag0', 'tag1'}"
            )
            controller.delegate = self
            try controller.performFetch()
        }
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: nil,
            queue: nil
        ) { [weak self] notification in
            // On this thread, which saves below.
            self?.keep(notification)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try stack.save { context in
            let owners = try context.all("Owner"), tags = try context.all("Tag")
            for (number, item) in try context.all("Item").enumerated() where number % 2 == 0 {
                item.setValue(owners[(number / 2) % 3], forKey: "owner")
                item.setValue(Set([tags[number % 4]]), forKey: "tags")
            }
            let new = context.make("Item", "new")
            new.setValue(owners[1], forKey: "owner")
            new.setValue(Set([tags[0]]), forKey: "tags")
        }
    }

    private func keep(_ notification: Notification) { saved = notification }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        // As a list on screen does, which shows what it is told of.
        for object in controller.fetchedObjects ?? [] {
            _ = (object as? NSManagedObject)?.value(forKey: "owner")
        }
    }

    func act() throws {
        main.inQueue { saved.map { main.mergeChanges(fromContextDidSave: $0) } }
    }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong = failure.map { untyped($0) } ?? []
        wrong += try main.inQueue {
            try controller.performFetch()
            let listed = (controller.fetchedObjects ?? []).map(\.label)
            let fetched = try main.fetch(controller.fetchRequest).map(\.label)
            return listed == fetched && listed.contains("new")
                ? [] : ["the controller lists \(listed.count) of \(fetched.count) items"]
        }
        if let clean { wrong += compare(url, with: [clean.before], "after a merge") }
        let fresh = stack.makeContext()
        let read = try fresh.inQueue { try fresh.seen() }
        let shown = try main.inQueue {
            // What could not be read counts as empty until it is asked for again.
            main.refreshAllObjects()
            return try main.seen()
        }
        if shown != read { wrong.append("main shows other values than a new context") }
        return wrong
    }

    func end() throws {
        controller.delegate = nil
        try stack.close()
    }
}

/// Changes are merged by their identifiers alone, so that their rows have to be read.
private final class IdentifiersAttempt: Attempt {
    var url: URL { stack.url }
    private let stack: Stack
    private let main: NSManagedObjectContext
    private let items: [NSManagedObject]
    private var changed: [NSManagedObjectID] = []

    init(_ stack: Stack) throws {
        self.stack = stack
        let main = stack.makeContext()
        self.main = main
        items = try main.inQueue { try main.all("Item") }
        let context = stack.makeContext()
        changed = try context.inQueue {
            let request = NSBatchUpdateRequest(entityName: "Item")
            request.propertiesToUpdate = ["value": 71]
            request.resultType = .updatedObjectIDsResultType
            let result = try context.execute(request) as? NSBatchUpdateResult
            return result?.result as? [NSManagedObjectID] ?? []
        }
    }

    func act() throws {
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: changed],
            into: [main]
        )
    }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong = failure.map { untyped($0) } ?? []
        if let clean { wrong += compare(url, with: [clean.before], "after a merge") }
        // Merged again, now that all can be read.
        try act()
        let values = main.inQueue { Set(items.map { $0.value(forKey: "value") as? Int64 }) }
        if values != [71] { wrong.append("main shows \(values.count) values") }
        return wrong
    }

    func end() throws { try stack.close() }
}
