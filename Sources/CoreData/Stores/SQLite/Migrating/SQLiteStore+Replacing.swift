import CSQLite
import Foundation

extension SQLiteStore {
    /// Puts the content of one store into the file of another one, in one transaction of SQLite:
    /// whatever ends it, the file holds either its old content or the new.
    ///
    /// Files of external values come first, and old ones go last, so that none is missing at any
    /// moment; one that is left over by an interruption is harmless.
    ///
    /// See https://www.sqlite.org/backup.html for what SQLite promises of the copy.
    ///
    /// - Parameters:
    ///   - url: The store to be replaced. Another process may have it open.
    ///   - source: A store that no one has open. Its files of external values are moved.
    static func replaceContents(
        at url: URL,
        options: [AnyHashable: Any]?,
        with source: URL
    ) throws {
        do {
            try exchangeContents(of: StoreFile(url), options: options, with: StoreFile(source))
        } catch let error as SQLiteError {
            throw CocoaError.migration(
                url,
                "SQLite stopped it; see the underlying error",
                underlying: error.cocoaError(url)
            )
        }
    }

    /// See `replaceContents(at:options:with:)`.
    static func exchangeContents(
        of file: StoreFile,
        options: [AnyHashable: Any]?,
        with other: StoreFile
    ) throws {
        let target = try StoreOpening(file: file, options: options, isReadOnly: false)
            .writingConnection()
        // Read before the exchange, after which nothing tells which files were the old store's.
        let old = try ExternalDataSweep(target, file).referencedNames()
        let new = try other.externalData.names()
        do {
            // Before the commit: a row must not name a file that is not there, even for a moment.
            try other.externalData.move(new, to: file.externalData)
            let (reader, _) = try StoreOpening(file: other, options: nil, isReadOnly: true)
                .readingConnection()
            try target.replaceContents(with: reader)
            try FileTrace.note(.commit, file.path)
        } catch {
            // A commit that failed may be in the log, and count the next time: the rows tell whose
            // files are needed.
            sweep(file, options)
            throw error
        }
        Checkpointer.checkpoint(target, SQLITE_CHECKPOINT_PASSIVE)
        // After the commit, until which the old rows count; the new store may use a file of the
        // same name.
        file.externalData.remove(old.subtracting(new))
        // What an exchange that was interrupted has moved there goes, too.
        sweep(file, options)
    }

    /// Removes files of external values that no row refers to, if that can be told now.
    private static func sweep(_ file: StoreFile, _ options: [AnyHashable: Any]?) {
        do {
            let connection = try StoreOpening(file: file, options: options, isReadOnly: false)
                .writingConnection()
            try ExternalDataSweep(connection, file).run()
        } catch {
            // They do no harm, and go with a later sweep.
        }
    }
}

extension StoreOpening {
    /// Replaces a store's content by none, in one transaction, and removes the files beside it.
    func empty() throws {
        let folder = file.place.deletingLastPathComponent()
        if file.exists {
            let connection = try writingConnection()
            let nothing = try SQLiteConnection(ConnectionSettings(path: ":memory:"))
            // `auto_vacuum` takes effect with the first table only (sqlite.org/pragma.html); the
            // table is dropped again and leaves an empty database of that kind.
            try nothing.execute("PRAGMA auto_vacuum=2; CREATE TABLE a (b); DROP TABLE a")
            try connection.replaceContents(with: nothing)
            // Ends the log, unless someone else uses it.
            do {
                try connection.execute("PRAGMA journal_mode=DELETE")
            } catch {
                guard error.code == SQLITE_BUSY else { throw error }
            }
        } else {
            // Without the database a log means nothing.
            try file.remove()
            if FileManager.default.fileExists(atPath: folder.path) { try file.makeEmpty() }
        }
        try file.removeExternalData()
    }
}

extension SQLiteConnection {
    func replaceContents(with source: SQLiteConnection) throws(SQLiteError) {
        if try integer("PRAGMA page_size") != source.integer("PRAGMA page_size") {
            // Pages of another size can't be copied through a WAL.
            try execute("PRAGMA journal_mode=DELETE")
        }
        guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw SQLiteError(handle, code: sqlite3_errcode(handle))
        }
        // All pages in one step, which is one transaction: nobody sees a part of the copy.
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        if code != SQLITE_DONE { throw SQLiteError(handle, code: code) }
        if end != SQLITE_OK { throw SQLiteError(handle, code: end) }
    }
}
