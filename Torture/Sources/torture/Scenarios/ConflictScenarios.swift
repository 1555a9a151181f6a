import CoreData
import Foundation

extension Scenario {
    /// Saves that meet what others have saved meanwhile.
    static let conflicts: [Scenario] = [
        conflict("conflict-memory-wins", NSMergeByPropertyObjectTrumpMergePolicy),
        conflict("conflict-store-wins", NSMergeByPropertyStoreTrumpMergePolicy),
        conflict("conflict-overwriting", NSOverwriteMergePolicy),
        conflict("conflict-rolled-back", NSRollbackMergePolicy),
        save("conflict-deleted") { context in
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            for item in try context.all("Item").prefix(6) {
                item.setValue(Int64(500), forKey: "value")
            }
            context.make("Item", "new").setValue(try context.all("Owner").first, forKey: "owner")
            try besides(context) { other in
                for item in try other.all("Item").prefix(3) { other.delete(item) }
            }
        },
        // Two new tags, one of which has a name that is there already, and takes its place.
        save("uniqueness") { context in
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            let tag = context.make("Tag", "tag1")
            tag.setValue(Set(try context.all("Item").prefix(3)), forKey: "items")
            context.make("Tag", "tag9")
        },
        // What somebody else has made meanwhile, while the row cache does not know of it.
        save("uniqueness-of-others") { context in
            context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
            for number in 5..<8 {
                let tag = context.make("Tag", "tag\(number)")
                tag.setValue(Set(try context.all("Item").suffix(2)), forKey: "items")
            }
            try besides(context) { other in
                for number in 6..<9 { other.make("Tag", "tag\(number)") }
            }
        },
        refused,
    ]

    private static func conflict(_ name: String, _ policy: Any) -> Scenario {
        save(name) { context in
            context.mergePolicy = policy
            let items = try context.all("Item")
            for item in items.prefix(12) { item.setValue(Int64(700), forKey: "value") }
            items[0].setValue(Samples.large(11), forKey: "data")
            items[1].setValue(try context.all("Owner").last, forKey: "owner")
            try besides(context) { other in
                let items = try other.all("Item")
                for item in items.prefix(8) { item.setValue("by another one", forKey: "note") }
                items[0].setValue(Samples.large(12), forKey: "data")
                items[1].setValue(Int64(800), forKey: "value")
            }
        }
    }

    /// Another context changes and saves.
    private static func besides(
        _ context: NSManagedObjectContext,
        _ change: (NSManagedObjectContext) throws -> Void
    ) throws {
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        try other.inQueue {
            try change(other)
            try other.save()
        }
    }

    /// Each conflict is refused, and the program reads again and tries again, as those do that lose
    /// nothing.
    private static let refused = Scenario(
        name: "conflict-refused",
        template: { try Samples.filled(store(in: $0)) },
        begin: { folder in
            let stack = try Stack(store(in: folder))
            let context = stack.makeContext()
            try context.inQueue {
                context.mergePolicy = NSErrorMergePolicy
                _ = try context.all("Item").map { $0.value(forKey: "value") }
                try besides(context) { other in
                    for item in try other.all("Item") { item.setValue(Int64(40), forKey: "value") }
                }
            }
            return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                try context.inQueue {
                    let item = try context.only("Item", "item05")
                    item.setValue(Int64(41), forKey: "value")
                    do {
                        try context.save()
                    } catch let error as NSError
                        where error.domain == NSCocoaErrorDomain
                        && error.code == NSManagedObjectMergeError
                    {
                        context.rollback()
                        context.refresh(item, mergeChanges: false)
                        let value = item.value(forKey: "value") as? Int64 ?? 0
                        item.setValue(value + 1, forKey: "value")
                        try context.save()
                    }
                    return []
                }
            }
        }
    )
}
