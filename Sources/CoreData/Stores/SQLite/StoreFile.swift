import Foundation

/// A store's files: the database with its `-wal` and `-shm`, and the folder of external values.
/// They belong together in all that is done to a store.
struct StoreFile {
    let url: URL

    var path: String { url.path }

    init(_ url: URL) throws {
        guard url.isFileURL else {
            throw CocoaError.storeOpen(
                url,
                "an SQLite store needs a file URL; make it with URL(fileURLWithPath:)"
            )
        }
        // The folder may be reached through a link, the database itself is taken as it is.
        self.url = url.standardizedFileURL
    }

    /// Whether there is a file with content.
    var exists: Bool { Self.byteCount(path) > 0 }

    /// Whether there are changes that are not in the database yet: of a process that uses it, or
    /// of one that did not close it.
    var hasWriteAheadLog: Bool { Self.byteCount(path + "-wal") > 0 }

    /// Whether a crash left a transaction of the older journal mode half done.
    var hasRollbackJournal: Bool { Self.byteCount(path + "-journal") > 0 }

    private static func byteCount(_ path: String) -> Int {
        var info = stat()
        guard stat(path, &info) == 0 else { return 0 }
        return Int(info.st_size)
    }

    /// Checks that the file is a database before SQLite has a chance to touch it.
    ///
    /// A file that this process uses already is taken as checked; see `OpenDatabases`.
    ///
    /// - Throws: 259 for another kind of file, 257 for one that may not be read.
    func checkHeader() throws { try OpenDatabases.ifUnused(path, readHeader) }

    private func readHeader() throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == EACCES || errno == EPERM { throw CocoaError.fileNotReadable(url) }
            throw CocoaError.storeOpen(url, String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &header, header.count)
        let expected = Array("SQLite format 3".utf8) + [0]
        guard count == header.count, header.starts(with: expected) else {
            throw CocoaError.corruptFile(
                url,
                "it is not an SQLite database; check the path, or restore the store from a backup",
                underlying: NSError(domain: NSSQLiteErrorDomain, code: 26)
            )
        }
    }

    /// The folder of the values that are too large for the database.
    var externalData: ExternalDataFolder { ExternalDataFolder(of: url) }

    /// Removes all files of the store; those that are not there count as removed.
    func remove() throws {
        // The database goes first: without its log it would be another store than it was, and SQLite
        // takes no notice of a log without a database.
        let companions = ["-journal", "-shm", "-wal"].map { URL(fileURLWithPath: path + $0) }
        for file in [url] + companions where FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.removeItem(at: file)
        }
        try removeExternalData()
    }

    /// Removes the folder of external values; none counts as removed.
    func removeExternalData() throws {
        let support = externalData.support
        guard FileManager.default.fileExists(atPath: support.path) else { return }
        try FileManager.default.removeItem(at: support)
    }

    /// Makes a file without content, which is an empty database.
    func makeEmpty() throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CocoaError.storeOpen(url, String(cString: strerror(errno)))
        }
        close(descriptor)
    }
}
