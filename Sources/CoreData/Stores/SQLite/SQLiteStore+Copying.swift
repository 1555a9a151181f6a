import CSQLite
import Foundation

extension SQLiteStore {
    /// A copy of a store's files that is not in its place yet.
    struct Copy {
        fileprivate let file: StoreFile

        /// Puts the copy in the place of another store, or where none is, down to the disk:
        /// whatever ends this, the old content is there or the new one, each whole.
        ///
        /// An SQLite database gets the new content in one transaction, so that others may have it
        /// open. What is no database, or a damaged one, is replaced as a file.
        func move(to url: URL) throws {
            let destination = try StoreFile(url)
            do {
                guard try Self.isDatabase(destination) else { return try replaceFile(destination) }
                try SQLiteStore.exchangeContents(of: destination, options: nil, with: file)
                try file.remove()
            } catch let error as SQLiteError {
                throw error.cocoaError(url)
            }
        }

        /// Whether SQLite can read and write what is there.
        private static func isDatabase(_ file: StoreFile) throws -> Bool {
            guard file.exists else { return false }
            do {
                let connection = try StoreOpening(file: file, options: nil, isReadOnly: false)
                    .writingConnection()
                return try connection.integer("SELECT COUNT(*) FROM sqlite_master") != nil
            } catch let error as SQLiteError
                where error.code == SQLITE_NOTADB || error.code == SQLITE_CORRUPT
            {
                return false
            }
        }

        /// The database's own file goes last: without it the others are nothing.
        private func replaceFile(_ destination: StoreFile) throws {
            // What is replaced here can't be asked which files it refers to. In a folder of its own
            // all are its; in one that another database shares, none may be touched.
            let old = try destination.sharesExternalData ? [] : destination.externalData.names()
            let new = try file.externalData.names()
            do {
                try file.externalData.move(new, to: destination.externalData)
                // The content must be on the disk before its name: a rename may survive a power cut
                // by itself.
                try file.synchronize()
                // A log would be taken for one of the new database.
                try destination.removeCompanions()
                try file.rename(to: destination)
            } catch {
                destination.externalData.remove(new)
                throw error
            }
            // Outside: from here on the new database is in its place, and needs its files.
            try destination.synchronizeName()
            destination.externalData.remove(Set(old).subtracting(new))
            try file.removeExternalData()
        }

        /// Gives the copy up.
        func remove() throws { try file.remove() }
    }

    /// How often a copy is made anew because the source was saved meanwhile.
    private static let maximumCopyCount = 10

    /// Copies a store as it stands after its last commit, into the folder of another one.
    static func makeCopy(of source: URL, beside destination: URL) throws -> Copy {
        let file = try StoreFile(source)
        let opening = try StoreOpening(file: file, options: nil, isReadOnly: true)
        let interim = InterimStore(beside: destination, for: .replacing)
        try interim.removeLeftovers()
        let copy = try StoreFile(interim.url)
        try copy.checkMayBeMade()
        do {
            let (connection, _) = try opening.readingConnection()
            for _ in 0..<maximumCopyCount {
                // Copies in one read transaction, the log included, and needs no lock against
                // savers; the file must not exist yet (sqlite.org/lang_vacuum.html).
                let statement = try connection.statement("VACUUM INTO ?")
                statement.bind(1, copy.path)
                try statement.run()
                // The database first: a file that a later save adds is in no row of the copy, while
                // one that it removes is noticed as missing.
                if try copyExternalData(of: file, connection, to: copy) { break }
                // With the files that were copied: files of external values are only ever made
                // anew, so that those names would stop the next round.
                try copy.remove()
            }
            guard copy.exists else {
                throw CocoaError.storeOperation(
                    source,
                    "it is saved again and again while it is copied; copy it when there are fewer "
                        + "saves"
                )
            }
        } catch {
            try copy.remove()
            if let error = error as? SQLiteError { throw error.cocoaError(source) }
            throw error
        }
        return Copy(file: copy)
    }

    /// Copies the files that a copied database refers to.
    ///
    /// - Returns: False if a save has removed one of them since the database was copied.
    private static func copyExternalData(
        of file: StoreFile,
        _ connection: SQLiteConnection,
        to copy: StoreFile
    ) throws -> Bool {
        // The copy is asked for the names and not the source, which may have others by now.
        let copied = try SQLiteConnection(ConnectionSettings(path: copy.path))
        let names = try ExternalDataSweep(copied, copy)
            .referencedNames()
        let missing = try file.externalData.copy(names, to: copy.externalData)
        guard !missing.isEmpty else { return true }
        // Those that the source still refers to are missing values there, too.
        let current = try ExternalDataSweep(connection, file)
            .referencedNames()
        return current.isSuperset(of: missing)
    }
}
