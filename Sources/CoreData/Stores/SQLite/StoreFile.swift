import Foundation

/// A store's files: the database with its `-wal` and `-shm`, and the folder of external values.
/// They belong together in all that is done to a store.
struct StoreFile {
    /// As the client named it; errors show it.
    let url: URL
    /// Where the database is, links followed: SQLite derives the names of its log from it, and the
    /// folder of external values is named after it.
    let path: String
    var place: URL { URL(fileURLWithPath: path) }

    /// - Throws: 259 for what is no regular file, 257 for what may not even be looked at, 134080 for
    ///   a URL that is none of a file.
    init(_ url: URL) throws {
        guard url.isFileURL else {
            throw CocoaError.storeOpen(
                url,
                "an SQLite store needs a file URL; make it with URL(fileURLWithPath:)"
            )
        }
        self.init(unchecked: url)
        guard !self.url.isNullDevice else { return }
        var info = stat()
        guard stat(path, &info) == 0 else {
            if errno == EACCES { throw CocoaError.fileNotReadable(self.url) }
            return  // What is not there may be about to be made.
        }
        // SQLite would wait for a pipe and find an empty database in a device, and whoever destroys
        // a store would remove a folder with all that is in it.
        guard info.st_mode & S_IFMT == S_IFREG else {
            throw CocoaError.corruptFile(self.url, "it is not a regular file; check the path")
        }
    }

    private init(unchecked url: URL) {
        self.url = url.standardizedFileURL
        path = ResolvedPath.of(self.url.path)
    }

    /// Whether there is a file with content.
    var exists: Bool { Self.byteCount(path) > 0 }

    /// Whether a process has the database open in its usual journal mode, or has not closed it.
    var hasLogFile: Bool { access(path + "-wal", F_OK) == 0 }

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
        // SQLite's header has 100 bytes (sqlite.org/fileformat2.html): a file that ends within it
        // is damaged, whatever it begins with.
        guard count == header.count, header.starts(with: expected) else {
            throw CocoaError.corruptFile(
                url,
                "it is not an SQLite database; \(CocoaError.otherFile)",
                underlying: NSError(domain: NSSQLiteErrorDomain, code: 26)
            )
        }
    }

    /// Checks that an existing file may be written.
    ///
    /// SQLite opens one that may not for reading only, without a word, and makes a log beside it that
    /// nobody may write either, also once the file's permissions were changed.
    ///
    /// - Throws: 513, or 642 on a volume that is read-only.
    func checkMayBeWritten() throws {
        guard exists, faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 else { return }
        throw writeError(errno)
    }

    /// Checks that a file may be made in the folder, if the folder is there.
    ///
    /// What SQLite says of it is whether there is a file to be read.
    ///
    /// - Throws: 513, or 642 on a volume that is read-only.
    func checkMayBeMade() throws {
        let folder = place.deletingLastPathComponent().path
        var info = stat()
        guard stat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR,
            faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0,
            errno == EACCES || errno == EROFS
        else { return }
        throw writeError(errno)
    }

    /// Lets the owner write the log and its index, which SQLite makes with the permissions of the
    /// file: made beside one that may not be written, they would be in the way once it may.
    func openCompanions() {
        guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 else { return }
        for ending in ["-wal", "-shm"] {
            var info = stat()
            guard stat(path + ending, &info) == 0, info.st_mode & S_IWUSR == 0 else { continue }
            // Those of another user are that user's affair.
            _ = chmod(path + ending, info.st_mode & 0o7777 | S_IWUSR)
        }
    }

    /// The folder of the values that are too large for the database.
    var externalData: ExternalDataFolder { ExternalDataFolder(of: place) }

    /// Removes all files of the store; those that are not there count as removed.
    ///
    /// - Throws: A file error, also for what is no file at all: `/dev/null` must outlive its stores.
    func remove() throws {
        guard !url.isNullDevice else { throw CocoaError.fileNotWritable(url) }
        // The database goes first: without its log it would be another store than it was, and SQLite
        // takes no notice of a log without a database.
        if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(at: place)
        }
        try removeCompanions()
        // Last: without a database no row refers to the files, while a row without its file is a
        // lost value.
        try removeExternalData()
    }

    /// Removes logs and journals beside a database that was removed, or is about to be replaced.
    func removeCompanions() throws {
        // SQLite would take a journal that it finds for one of the new database, and play it back.
        for ending in ["-journal", "-shm", "-wal"]
        where FileManager.default.fileExists(atPath: path + ending) {
            try FileManager.default.removeItem(atPath: path + ending)
        }
    }

    /// Brings the database's content to the disk, if no one has it open.
    func synchronize() throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw writeError(errno) }
        defer { close(descriptor) }
        // Closing this descriptor drops locks of this process on the file. Only copies that nobody
        // else knows are synchronized here.
        guard fsync(descriptor) == 0 else { throw writeError(errno) }
        try FileTrace.note(.sync, path)
    }

    /// Gives the database the name of another one, which is replaced.
    func rename(to other: StoreFile) throws {
        guard !other.url.isNullDevice else { throw CocoaError.fileNotWritable(other.url) }
        guard Foundation.rename(path, other.path) == 0 else { throw other.writeError(errno) }
        try FileTrace.note(.rename, other.path)
    }

    /// Brings the database's name to the disk: it is durable once the folder that has it is synced.
    func synchronizeName() throws {
        try ExternalDataFolder.synchronize(place.deletingLastPathComponent())
    }

    private func writeError(_ code: Int32) -> CocoaError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(url)
        case EACCES, EPERM: .fileNotWritable(url)
        case EROFS: .volumeReadOnly(url)
        default: .storeSave(url, String(cString: strerror(code)))
        }
    }

    /// Whether another database keeps its external values in the same folder: one of the same name
    /// with another extension.
    var sharesExternalData: Bool {
        get throws {
            let base = place.deletingPathExtension().lastPathComponent
            let folder = place.deletingLastPathComponent()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            return names.contains { name in
                let other = folder.appendingPathComponent(name)
                guard name != place.lastPathComponent,
                    other.deletingPathExtension().lastPathComponent == base
                else { return false }
                // The name alone does not tell: logs and journals, as `Store.sqlite-wal`, have the
                // same base.
                return StoreFile(unchecked: other).isDatabase
            }
        }
    }

    /// Whether it begins as an SQLite database does.
    private var isDatabase: Bool {
        guard exists else { return false }
        do {
            try checkHeader()
            return true
        } catch {
            return false
        }
    }

    /// Removes the folder of external values; none counts as removed. One that is another store's,
    /// too, stays.
    func removeExternalData() throws {
        let support = externalData.support
        guard FileManager.default.fileExists(atPath: support.path), try !sharesExternalData
        else { return }
        try FileManager.default.removeItem(at: support)
    }

    /// Makes a file without content, which is an empty database.
    func makeEmpty() throws {
        // Without `O_TRUNC`: a store that another process has made there meanwhile keeps its
        // content.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CocoaError.storeOpen(url, String(cString: strerror(errno)))
        }
        close(descriptor)
    }
}
