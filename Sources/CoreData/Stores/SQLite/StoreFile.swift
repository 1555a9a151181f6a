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
    var exists: Bool { byteCount > 0 }

    private var byteCount: Int {
        var info = stat()
        guard stat(path, &info) == 0 else { return 0 }
        return Int(info.st_size)
    }

    /// Checks that the file is a database before SQLite has a chance to touch it.
    ///
    /// - Throws: 259 for another kind of file, 257 for one that may not be read.
    func checkHeader() throws {
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
    var externalDataFolder: URL {
        let name = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        return url.deletingLastPathComponent()
            .appendingPathComponent(name, isDirectory: true)
            .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    /// The bytes of an external value; nil if its file is not there.
    ///
    /// - Parameter name: As the database has it: only a UUID is followed, never a path.
    func externalValue(_ name: String) -> Data? {
        guard let uuid = UUID(uuidString: name) else { return nil }
        let file = externalDataFolder.appendingPathComponent(uuid.uuidString)
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            return nil  // An unreadable file is a missing value, as a missing one is.
        }
    }

    /// Removes all files of the store; those that are not there count as removed.
    func remove() throws {
        let support = externalDataFolder.deletingLastPathComponent()
        let companions = ["-wal", "-shm", "-journal"].map { URL(fileURLWithPath: path + $0) }
        for file in [url] + companions + [support]
        where FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.removeItem(at: file)
        }
    }
}
