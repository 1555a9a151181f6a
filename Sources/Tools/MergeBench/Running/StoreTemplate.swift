import CoreData
import Foundation
import MergeStack

/// A store with the rows from before, made once and copied for each run.
struct StoreTemplate {
    private static let name = "Items.sqlite"
    /// How many rows are saved at once.
    private static let batchSize = 10_000

    let folder: URL

    /// Makes the store through a context, so that its file is the runtime's.
    static func make(in folder: URL, seeds: Range<Int>, seed: UInt64) throws -> StoreTemplate {
        let store = folder.appendingPathComponent(name)
        try fill(store, model: ItemModel.makeForStacks(), count: seeds.count) { row, context in
            let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            Item(seeds.lowerBound + row, seed: seed).write(to: object)
        }
        return StoreTemplate(folder: folder)
    }

    /// Makes a store, inserts rows in batches and closes it.
    ///
    /// - Parameters:
    ///   - store: The new file.
    ///   - model: Its model.
    ///   - count: How many rows.
    ///   - insert: Inserts the row with a number, from 0.
    static func fill(
        _ store: URL,
        model: NSManagedObjectModel,
        count: Int,
        insert: @Sendable (Int, NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: store,
            options: nil
        )
        for start in stride(from: 0, to: count, by: batchSize) {
            // A context for each batch: what it holds goes with it, so that memory does not grow
            // with the store.
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.inside {
                for row in start..<min(start + batchSize, count) { try insert(row, context) }
                try context.save()
            }
        }
        // The file is copied from here on, so it has to be closed and hold all rows by itself.
        try coordinator.remove(added)
    }

    /// Copies the store and what belongs to it into another folder.
    ///
    /// - Returns: The copy of the store.
    func copy(to other: URL) throws -> URL {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        // A write-ahead log that is still there belongs to the store.
        for file in files where file.hasPrefix(Self.name) {
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent(file),
                to: other.appendingPathComponent(file)
            )
        }
        return other.appendingPathComponent(Self.name)
    }
}
