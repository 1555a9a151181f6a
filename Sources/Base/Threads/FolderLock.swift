import Foundation

/// A lock on a folder among processes and threads, which ends with whoever holds it.
package enum FolderLock {
    /// Runs a block while no one else holds the lock.
    package static func whileLocked<Result>(
        _ folder: URL,
        _ body: () throws -> Result
    ) throws -> Result {
        // The folder and not a file in it: before the first installation there may be none.
        let handle = try FileHandle(forReadingFrom: folder)
        var outcome: Int32
        repeat {
            // Not `fcntl`: its locks belong to the process, so that two threads would share one.
            outcome = flock(handle.fileDescriptor, LOCK_EX)
        } while outcome != 0 && errno == EINTR
        guard outcome == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { flock(handle.fileDescriptor, LOCK_UN) }
        return try body()
    }

    /// Waits until a file, or the names in a folder, are on disk.
    package static func synchronize(_ url: URL) throws {
        let handle = try FileHandle(forReadingFrom: url)
        guard fsync(handle.fileDescriptor) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        try handle.close()
    }
}
