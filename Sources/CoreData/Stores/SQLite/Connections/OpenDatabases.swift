import Foundation

/// The database files that this process has connections to.
///
/// Whoever closes a descriptor of a file, however it was opened, drops all locks that the process
/// holds on the file, those of SQLite as well; another process may then write at the same time, or
/// take away the write-ahead log. So nothing but SQLite may open a file that is listed here.
///
/// Source: "How To Corrupt An SQLite Database File", section 2.2, at sqlite.org.
///
/// > Threading: Any thread.
enum OpenDatabases {
    /// A file, whatever path leads to it.
    struct File: Hashable, Sendable {
        // By device and inode, since that is what the system's locks belong to, by whatever name.
        private let device: UInt
        private let node: UInt

        /// nil if there is no file.
        fileprivate init?(_ path: String) {
            var info = stat()
            guard stat(path, &info) == 0 else { return nil }
            device = UInt(info.st_dev)
            node = UInt(info.st_ino)
        }
    }

    private static let connectionCounts = Locked<[File: Int]>([:])

    /// Lists a file, which `open` opens, before anyone can lock it.
    ///
    /// - Returns: What to give to `leave(_:)` after the connection is closed.
    static func enter(_ path: String, open: () -> Void) -> File? {
        connectionCounts.withLock { counts in
            open()
            // After the opening, which may have made the file.
            let file = File(path)
            if let file { counts[file, default: 0] += 1 }
            return file
        }
    }

    static func leave(_ file: File?) {
        guard let file else { return }
        connectionCounts.withLock { counts in
            let count = (counts[file] ?? 1) - 1
            counts[file] = count > 0 ? count : nil
        }
    }

    /// Runs `body`, which may open and close the file by itself, unless the file is in use.
    static func ifUnused(_ path: String, _ body: () throws -> Void) rethrows {
        // Under the lock all the time: no connection can be opened, and lock, while `body` has a
        // descriptor that it will close.
        try connectionCounts.withLock { counts in
            guard let file = File(path), counts[file] != nil else { return try body() }
        }
    }
}
