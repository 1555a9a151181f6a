import CoreData
import Foundation
import MergeStack
import SeededRandom

/// The rows and stores of the layer's workloads.
///
/// > Threading: One thread.
final class LayerFixture {
    /// What is unequal where rows are written.
    static let checkpointing =
        "bare SQLite copies its log into the file within the commit, the layer on a queue of its own"
    /// Bare SQLite with less to do than that: the copying is in no time at all.
    static let withoutCheckpoints = "bare SQLite without checkpoints"

    let items: [Item]
    private let folder: URL
    private let base: URL
    private var fileCount = 0

    /// Some 10,000 numbers of items in any order, the same in each run.
    let sample: [Int]

    /// Fills a store with items, an index over them, and parents with 100 children each, one parent
    /// for 100 items.
    init(rows: Int, seed: UInt64, folder: URL) throws {
        self.folder = folder
        items = (1...rows).map { Item($0, seed: seed) }
        // Shuffled, so that rows by key are not read in the order in which they lie in the file.
        var random = SplitMix(seed: seed)
        sample = Array((1...rows).shuffled(using: &random).prefix(10_000))
        base = folder.appendingPathComponent("base.sqlite")
        // The block is Sendable, so it can't capture the fixture.
        let items = items
        let model = ItemModel.makeForQueries(KeyedAccess())
        try StoreTemplate.fill(base, model: model, count: rows) { row, context in
            let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            items[row].write(to: object)
        }
        try Self.fillFamilies(base, model: model, parentCount: max(rows / 100, 1))
    }

    private static func fillFamilies(
        _ store: URL,
        model: NSManagedObjectModel,
        parentCount: Int
    ) throws {
        try StoreTemplate.fill(store, model: model, count: parentCount) { row, context in
            let parent = NSEntityDescription.insertNewObject(
                forEntityName: "Parent",
                into: context
            )
            parent.setValue("parent \(row)", forKey: "name")
            for place in 1...100 {
                let number = row * 100 + place
                let child = NSEntityDescription.insertNewObject(
                    forEntityName: "Child",
                    into: context
                )
                child.setValue(number, forKey: "number")
                child.setValue(Double(number) * 0.25, forKey: "amount")
                child.setValue("child number \(number) x", forKey: "text")
                child.setValue(parent, forKey: "parent")
            }
        }
    }

    // MARK: Stores

    /// The URL of a file that is not there.
    func newFile() -> URL {
        fileCount += 1
        return folder.appendingPathComponent("\(fileCount).sqlite")
    }

    /// A copy of the filled store.
    func copyOfBase() throws -> URL {
        // The file alone is the store: `fill` has closed it, and the last connection that closes
        // takes the write-ahead log back into it.
        let copy = newFile()
        try FileManager.default.copyItem(at: base, to: copy)
        return copy
    }

    /// Removes what ``newFile()`` and ``copyOfBase()`` have named.
    func remove(_ store: URL) throws {
        for suffix in ["", "-wal", "-shm"] {
            let path = store.path + suffix
            guard FileManager.default.fileExists(atPath: path) else { continue }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Opens a store and closes it after the body.
    func withStore<Result>(
        _ store: URL,
        model: NSManagedObjectModel,
        _ body: (NSPersistentStoreCoordinator) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: store,
            options: nil
        )
        let result = try body(coordinator)
        try coordinator.remove(added)
        return result
    }
}

extension NSPersistentStoreCoordinator {
    /// Does work in a new context with a queue of its own.
    func inNewContext<Value, Failure: Error>(
        _ work: (NSManagedObjectContext) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return try context.inside { () throws(Failure) in try work(context) }
    }
}
