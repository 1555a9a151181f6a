import CoreData
import Foundation
import MergeStack

/// A way in which contexts are made, used and thrown away.
struct ContextUse: Sendable {
    let name: String
    /// Uses some contexts of a stack, on the main thread; notes what has to go.
    let run: @Sendable (NotificationMergeStack, Int, inout Departures) throws -> Void

    static let all: [ContextUse] = [
        throwaway("private-queue", .privateQueue) { context in
            try change(context)
            try context.save()
        },
        throwaway("confinement", .confinement) { context in
            try change(context)
            try context.save()
        },
        throwaway("unsaved", .privateQueue) { try change($0) },
        throwaway("read", .privateQueue) { _ = try $0.seen() },
        throwaway("undo", .privateQueue) { context in
            context.undoManager = UndoManager()
            try change(context)
            context.processPendingChanges()
            context.undo()
            context.redo()
            try context.save()
        },
        throwaway("refused", .privateQueue) { context in
            context.mergePolicy = NSErrorMergePolicy
            try change(context)
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.persistentStoreCoordinator = context.persistentStoreCoordinator
            try other.inQueue {
                let kept = try other.only("Item", "kept")
                kept.setValue(
                    (kept.value(forKey: "note") as? String ?? "") == "1" ? "2" : "1",
                    forKey: "note"
                )
                try other.save()
            }
            do {
                try context.save()
                throw UsageError(text: "a save that meets another one is not refused")
            } catch is CocoaError {
                // With its changes, as a program may leave it.
            }
        },
        throwaway("results", .privateQueue) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request,
                managedObjectContext: context,
                sectionNameKeyPath: "value",
                cacheName: nil
            )
            let list = ResultsListener()
            controller.delegate = list
            try controller.performFetch()
            try change(context)
            context.processPendingChanges()
            controller.delegate = nil
        },
        throwaway("child", .privateQueue) { context in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            try child.inQueue {
                try change(child)
                try child.save()
            }
            try context.save()
        },
        throwaway("history", .privateQueue) { context in
            context.transactionAuthor = "leaks"
            try change(context)
            try context.save()
            let request = NSBatchUpdateRequest(entityName: "Item")
            request.propertiesToUpdate = ["value": 3]
            _ = try context.execute(request)
        },
        ContextUse(name: "background-work") { stack, count, _ in
            for _ in 0..<count {
                try stack.performBackgroundAndWait { try change($0) }
            }
        },
        ContextUse(name: "scratchpad") { stack, count, departures in
            for _ in 0..<count {
                let pad = Scratchpad(of: stack)
                departures.expect(pad.context)
                try change(pad.context)
                pad.cancel()
            }
        },
        ContextUse(name: "followers") { stack, count, departures in
            for _ in 0..<count {
                let merger = DidSaveMerger(into: stack.mainContext)
                departures.expect(merger)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                let controller = NSFetchedResultsController(
                    fetchRequest: request,
                    managedObjectContext: stack.mainContext,
                    sectionNameKeyPath: nil,
                    cacheName: nil
                )
                departures.expect(controller)
                merger.follow(controller)
                try controller.performFetch()
            }
        },
        ContextUse(name: "stacks") { stack, count, departures in
            guard let url = stack.coordinator.persistentStores.first?.url else { return }
            // A stack costs as much as many contexts.
            for _ in 0..<(count / 10) {
                let own = try NotificationMergeStack(
                    model: TortureModel.first,
                    stores: [NSPersistentStoreDescription(url: url)]
                )
                departures.expect(own, own.mainContext, own.coordinator, own.merger)
                try own.performBackgroundAndWait { try change($0) }
                own.waitUntilSettled()
                try own.tearDown()
            }
        },
    ]

    static func named(_ name: String) -> ContextUse? { all.first { $0.name == name } }

    private static func throwaway(
        _ name: String,
        _ kind: BackgroundContextKind,
        _ use: @escaping @Sendable (NSManagedObjectContext) throws -> Void
    ) -> ContextUse {
        ContextUse(name: name) { stack, count, departures in
            for _ in 0..<count {
                let context = stack.makeBackgroundContext(kind)
                departures.expect(context)
                try context.inQueue {
                    try use(context)
                    departures.expect(all: context.registeredObjects)
                }
            }
        }
    }

    /// Makes, changes, relates and deletes; what is made in one context is deleted in another one.
    private static func change(_ context: NSManagedObjectContext) throws {
        let owner = try context.all("Owner").first
        for item in try context.all("Item") where item.label.hasPrefix("thrown") {
            context.delete(item)
        }
        let item = context.make("Item", "thrown")
        item.setValue(owner, forKey: "owner")
        item.setValue(Set(try context.all("Tag")), forKey: "tags")
        try context.only("Item", "kept").setValue(item.value(forKey: "owner"), forKey: "owner")
        let other = try context.only("Item", "kept")
        other.setValue((other.value(forKey: "value") as? Int64 ?? 0) + 1, forKey: "value")
    }
}

private final class ResultsListener: NSObject, NSFetchedResultsControllerDelegate {
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
}
