import CoreData
import MergeStack
import SeededRandom
import TestSupport

/// What is saved beside the main context.
extension UnmergedWindow {
    func saveInBackground(_ random: inout SplitMix) throws {
        let context = stack.makeBackgroundContext(.privateQueue)
        let edit = RandomEdit(context: context, names: names)
        let line = try context.onQueue {
            try (0...random.below(2)).map { _ in try edit.any(&random) }.joined(separator: ", ")
        }
        log.append("background \(line)")
        do {
            try stack.saveAndWait(context)
        } catch  where error.isRefusal {
            log.append("which is refused")
            try undoRefused(context)
        }
    }

    /// What was refused somewhere on the way to the store is dropped there.
    func undoRefused(_ context: NSManagedObjectContext) throws {
        var level: NSManagedObjectContext? = context
        while let current = level {
            current.onQueue { current.rollback() }
            level = current.parent
        }
        if merger == nil { main.rollback() }
        guard main.parent != nil else { return }
        // What a level above has taken back, it tells nobody of.
        main.refreshAllObjects()
        for list in lists { try list.fetch() }
    }

    func saveElsewhere(_ random: inout SplitMix) throws {
        guard let context = other?.makeRandomContext("elsewhere") else { return }
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        let edit = RandomEdit(context: context, names: names)
        let line = try context.onQueue { try edit.any(&random) }
        log.append("elsewhere \(line)")
        try context.onQueue {
            do { try context.save() } catch  where error.isRefusal { log.append("refused") }
        }
    }

    func batch(_ random: inout SplitMix) throws {
        guard store.isFile else { return }
        let context = store.makeContext("batch")
        let bound = random.below(100)
        let name = random.pick(["Book", "Author", "Tag"])
        let result: NSPersistentStoreResult
        switch random.below(3) {
        case 0:
            log.append("batch update of \(name)s up to \(bound)")
            let request = NSBatchUpdateRequest(entityName: name)
            request.predicate = NSPredicate(format: "rank <= %d", bound)
            request.propertiesToUpdate = ["rank": random.below(100)]
            request.resultType = .updatedObjectIDsResultType
            result = try context.onQueue { try context.execute(request) }
        case 1:
            log.append("batch insert of a \(name)")
            let request = NSBatchInsertRequest(
                entityName: name,
                objects: [["name": names.next(name), "rank": bound, "group": 1]]
            )
            request.resultType = .objectIDs
            result = try context.onQueue { try context.execute(request) }
        default:
            log.append("batch delete of Books up to \(bound / 2)")
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            fetch.predicate = NSPredicate(format: "rank <= %d", bound / 2)
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .resultTypeObjectIDs
            result = try context.onQueue { try context.execute(request) }
        }
        if let merger, stack is NotificationMergeStack {
            // The history tells of it as well.
            if others == .stranger, random.chance(2) { return }
            try merger.merge(result)
        } else {
            unmergedIDs.append(Self.changes(result))
        }
    }

    private static func changes(_ result: NSPersistentStoreResult) -> [AnyHashable: Any] {
        switch result {
        case let result as NSBatchInsertResult: [NSInsertedObjectsKey: result.result ?? []]
        case let result as NSBatchUpdateResult: [NSUpdatedObjectsKey: result.result ?? []]
        case let result as NSBatchDeleteResult: [NSDeletedObjectsKey: result.result ?? []]
        default: [:]
        }
    }
}
