import CoreData

/// Copies of a store's file: what is in its journal and its external values included.
enum StoreCopy {
    /// Copies a store, which is only read, and whole also while another process writes to it.
    ///
    /// Whatever goes wrong, there is no copy then.
    static func make(of store: URL, at copy: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try coordinator.replacePersistentStore(
            at: copy,
            withPersistentStoreFrom: store,
            sourceOptions: [NSReadOnlyPersistentStoreOption: true],
            ofType: NSSQLiteStoreType
        )
    }

    /// Removes a copy with what belongs to it.
    static func remove(_ copy: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        // An empty database is left, as Apple documents.
        try coordinator.destroyPersistentStore(at: copy, ofType: NSSQLiteStoreType)
        try FileManager.default.removeItem(at: copy)
    }

    /// A name beside a store that nothing has yet: `Notes-before-migration.sqlite`, then
    /// `Notes-before-migration-2.sqlite`.
    static func freeName(for store: URL) throws -> URL {
        let folder = store.deletingLastPathComponent()
        let taken = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let base = store.deletingPathExtension().lastPathComponent + "-before-migration"
        var name = base, number = 1
        // Also those that only begin so: journals and folders of external values go by the name.
        while taken.contains(where: { belongs($0, to: name) }) {
            number += 1
            name = "\(base)-\(number)"
        }
        return folder.appendingPathComponent(name).appendingPathExtension(store.pathExtension)
    }

    private static func belongs(_ file: String, to name: String) -> Bool {
        ["\(name).", "\(name)_", ".\(name)_"].contains(where: file.hasPrefix) || file == name
    }
}
