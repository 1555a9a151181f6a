import CoreData

/// How much memory a fetched object takes, with its row, its texts, and its places in the identity
/// map, the row cache and the list.
enum LayerMemory {
    /// At most so many bytes.
    static let target = 320.0

    /// In bytes of resident memory; nil where the system does not tell what is in use.
    static func bytesPerObject(_ fixture: LayerFixture) throws -> Double? {
        let side = try LayerQueryStores(fixture).side(TypedAccess())
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        // What stays with the store, such as SQLite's pages, is no part of an object: the first
        // fetch has it made.
        _ = try side.coordinator.inNewContext { try $0.fetch(request).count }
        return try side.coordinator.inNewContext { context in
            guard ProcessMemory.giveBackFreed(), let before = ProcessMemory.byteCount else {
                return nil
            }
            let objects = try context.fetch(request)
            return withExtendedLifetime(objects) {
                ProcessMemory.byteCount.map { Double($0 - before) / Double(max(objects.count, 1)) }
            }
        }
    }
}
