import CoreData

/// Says what stands in the place of a store that is to be read, before anything is opened.
enum StorePlace {
    /// Throws unless a file is a store, as far as its first page tells.
    ///
    /// Opening would make a store where there is none, or where the file is empty.
    static func check(_ path: String) throws {
        try checkIsFile(path)
        #if !canImport(ObjectiveC)
        do {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType,
                at: URL(fileURLWithPath: path),
                options: nil
            )
        } catch let error as CocoaError where error.code.rawValue == foreignDatabase {
            throw CommandError(
                "The file \(path) is a database, but no store of Core Data. Check the path."
            )
        }
        #endif
    }

    /// Throws unless there is a file with something in it.
    static func checkIsFile(_ path: String) throws {
        if let problem = problem(path) { throw CommandError(problem) }
    }

    /// What keeps a file from being a store, with what to do.
    private static func problem(_ path: String) -> String? {
        var info = stat()
        guard stat(path, &info) == 0 else {
            if errno == EACCES {
                return "The store \(path) can't be reached: you may not look into its folder. "
                    + "Change the permissions of that."
            }
            return "There is no store \(path). Check the path; mergectl import makes a store."
        }
        if info.st_mode & S_IFMT == S_IFDIR {
            return "\(path) is a folder, not a store. Name the store's file."
        }
        if info.st_size == 0 {
            return "The file \(path) is empty, and no store. Check the path, or restore the store "
                + "from a backup."
        }
        return nil
    }

    /// `NSPersistentStoreIncompatibleSchemaError`: no model is asked for here that tables could not
    /// fit.
    private static let foreignDatabase = 134_020
}
