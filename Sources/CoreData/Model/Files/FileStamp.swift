import Foundation

/// What tells that a file, or a folder's list of names, is as it was: its place on the disk, its size,
/// and the time of its last change.
struct FileStamp: Equatable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// - Parameter url: Links are followed. Nil where there is nothing that can be looked at.
    init?(_ url: URL) {
        var info = stat()
        guard stat(url.path, &info) == 0 else { return nil }
        device = UInt64(info.st_dev)
        number = UInt64(info.st_ino)
        size = Int64(info.st_size)
        // That of the change of status, which nobody can set back.
        seconds = info.st_ctim.tv_sec
        nanoseconds = info.st_ctim.tv_nsec
    }

    /// Whether a change made from now on shows: file systems count time in steps of milliseconds, some
    /// in seconds.
    fileprivate var tellsChanges: Bool { Date().timeIntervalSince1970 - Double(seconds) > 2 }
}

/// The stamps of what something was read from, taken before that.
struct FileStamps {
    private var stamps: [URL: FileStamp?] = [:]

    init(_ url: URL) { add(url) }

    mutating func add(_ url: URL) { stamps.updateValue(FileStamp(url), forKey: url) }

    /// Whether all is as it was.
    var areCurrent: Bool { stamps.allSatisfy { FileStamp($0.key) == $0.value } }

    /// Whether each change from now on shows.
    var tellChanges: Bool { stamps.values.allSatisfy { $0?.tellsChanges ?? true } }
}
