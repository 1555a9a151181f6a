import CoreData

/// Says what stands in the place of a store that is to be read, before anything is opened.
enum StorePlace {
    /// Throws unless a file is a store, as far as its first page tells.
    ///
    /// Opening would make a store where there is none, or where the file is empty.
    ///
    /// - Parameter isReadOnly: Whether the store is going to be read only; a writer takes back what
    ///   another one has left half done.
    static func check(_ path: String, isReadOnly: Bool = true) throws {
        try checkIsFile(path)
        #if !canImport(ObjectiveC)
        do {
            try explained(path) {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType,
                    at: URL(fileURLWithPath: path),
                    options: nil
                )
            }
        } catch is HalfDoneTransaction where !isReadOnly {
            return
        } catch let error as CocoaError where error.code.rawValue == foreignDatabase {
            throw CommandError(
                "The file \(path) is a database, but no store of Core Data. Check the path."
            )
        }
        #endif
    }

    /// Whether anything but an empty file is there: to an import, that is as good as none.
    static func isTaken(_ path: String) -> Bool {
        var info = stat()
        guard stat(path, &info) == 0 else { return false }
        // The size of anything else than a file says nothing.
        return info.st_mode & S_IFMT != S_IFREG || info.st_size > 0
    }

    /// Throws unless there is a file with something in it.
    static func checkIsFile(_ path: String) throws {
        if let problem = problem(path) { throw CommandError(problem) }
    }

    /// Reads a store; of one that only a writer can read says how to have it written to.
    static func explained<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            guard cause?.userInfo["NSSQLiteExtendedErrorCode"] as? Int == halfDoneTransaction else {
                throw error
            }
            throw HalfDoneTransaction(path: path)
        }
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
    /// `SQLITE_READONLY_ROLLBACK` (sqlite.org/rescode.html).
    private static let halfDoneTransaction = 776
}

/// A store that only a writer can read: a program has ended in the middle of a transaction.
private struct HalfDoneTransaction: LocalizedError {
    let path: String

    var errorDescription: String? {
        "The store \(path) can't be read as it is: a program has ended in the middle of a "
            + "transaction. Open it with that program, or with sqlite3 and .tables, which takes the "
            + "transaction back."
    }
}
