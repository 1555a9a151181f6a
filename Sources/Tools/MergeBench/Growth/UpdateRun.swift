import CoreData
import Dispatch
import MergeStack

/// Updates of rows merged into a main context that has an object for each of them, or for none.
///
/// > Threading: Off the main queue, which must be served by the main thread.
struct UpdateRun {
    /// Whether main has the objects, with their values.
    let isHeld: Bool
    /// By number; the one with number 0 is never used.
    let items: [Item]
    let batchSize: Int

    /// What main spends while updates of all rows are merged.
    ///
    /// - Throws: ``BenchmarkError`` if main does not show them, or has objects that nobody holds.
    func measure() throws -> MergeTime {
        try TemporaryFolder.with("updates") { folder in
            let store = folder.appendingPathComponent("Items.sqlite")
            let model = ItemModel.makeForStacks()
            try StoreTemplate.fill(store, model: model, count: items.count - 1) { row, context in
                try WorkPlan.Transaction.insert(row + 1..<row + 2).carryOut(in: context, items)
            }
            let stack = try StackLayout.notificationMerge.make(
                model,
                NSPersistentStoreDescription(url: store)
            )
            let held = MainQueueBox<[NSManagedObject]>([])
            if isHeld {
                try DispatchQueue.main.sync { held.value = try Self.objects(of: stack.mainContext) }
            }
            let time = try MergeTime(stack) {
                for numbers in WorkPlan.deal(1..<items.count, by: batchSize, to: 1)[0] {
                    try stack.performInBackground {
                        try WorkPlan.Transaction.update(numbers).carryOut(in: $0, items)
                    }
                }
            }
            try DispatchQueue.main.sync {
                let isShown = isShown(held.value, in: stack.mainContext)
                held.value = []
                try stack.tearDown()
                guard isShown else {
                    throw BenchmarkError("The main context does not show all updates.")
                }
            }
            return time
        }
    }

    private static func objects(of context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.returnsObjectsAsFaults = false
        return try context.fetch(request)
    }

    private func isShown(_ held: [NSManagedObject], in context: NSManagedObjectContext) -> Bool {
        guard isHeld else { return context.registeredObjects.isEmpty }
        return held.count == items.count - 1
            && held.allSatisfy { object in
                object.integer("score") == items[Int(object.integer("number"))].updated.score
            }
    }
}
