import Foundation

/// A store's file that is read and written as a whole.
///
/// > Threading: A value; any thread.
struct StoreFileAccess {
    let url: URL

    /// - Throws: 134080 for a URL that is none of a file.
    init(_ url: URL) throws {
        guard url.isFileURL else {
            throw CocoaError.storeOpen(
                url,
                "it needs a file URL; make it with URL(fileURLWithPath:)"
            )
        }
        self.url = url.standardizedFileURL
    }

    /// Whether there is no file, or one without content.
    var isEmpty: Bool {
        var info = stat()
        return stat(url.path, &info) != 0 || info.st_size == 0
    }

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Tells one state of the file from the next: what another process replaces has another one.
    struct Stamp: Equatable {
        private let values: [Int]

        fileprivate init(_ info: stat) {
            // A file that a rename has put in place has another inode than the one before it, even
            // if size and time happen to agree.
            values = [
                Int(info.st_dev), Int(info.st_ino), Int(info.st_size), info.st_mtim.tv_sec,
                info.st_mtim.tv_nsec,
            ]
        }
    }

    /// nil if there is no file.
    var stamp: Stamp? {
        var info = stat()
        return stat(url.path, &info) == 0 ? Stamp(info) : nil
    }

    // MARK: Reading

    /// The whole content.
    ///
    /// - Throws: 260 if there is no file, 257 if it may not be read, 259 for a directory or device.
    func read() throws -> [UInt8] {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw readError(errno) }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw readError(errno) }
        // A pipe or a device may have no end, and its size says nothing.
        guard info.st_mode & S_IFMT == S_IFREG else {
            throw CocoaError.corruptFile(url, "it is not a regular file; check the path")
        }
        var bytes = [UInt8](repeating: 0, count: Int(info.st_size))
        switch bytes.withUnsafeMutableBytes({ FileBytes.read(descriptor, into: $0) }) {
        case .success(let count): return Array(bytes.prefix(count))
        case .failure(let failure): throw readError(failure.code)
        }
    }

    private func readError(_ code: Int32) -> CocoaError {
        switch code {
        case ENOENT, ENOTDIR: .noSuchFile(url, "check the path")
        case EACCES, EPERM: .fileNotReadable(url)
        default: .storeOpen(url, String(cString: strerror(code)))
        }
    }

    // MARK: Writing

    /// New content that is on the disk, beside the file that it will replace.
    struct Replacement {
        fileprivate let temporaryPath: String
        fileprivate let file: StoreFileAccess
        fileprivate let targetPath: String

        /// Puts the new content in the place of the old one, in one step.
        func commit() throws {
            guard rename(temporaryPath, targetPath) == 0 else { throw file.writeError(errno) }
            // The rename itself must reach the disk, too; where a folder can't be synchronised, it
            // does so in time.
            let folder = open((targetPath as NSString).deletingLastPathComponent, O_RDONLY)
            guard folder >= 0 else { return }
            fsync(folder)
            close(folder)
        }

        /// Gives the new content up.
        func discard() { unlink(temporaryPath) }
    }

    /// Writes new content beside the file, through to the disk.
    ///
    /// - Throws: 640 if the disk is full, 513 or 642 if the folder can't be written, else 134030.
    func prepare(_ bytes: [UInt8]) throws -> Replacement {
        // A link stays one, and the file that it leads to is replaced.
        let target = url.resolvingSymlinksInPath()
        let name = ".\(target.lastPathComponent).\(UUID().uuidString)"
        let temporary = target.deletingLastPathComponent().appendingPathComponent(name).path
        // `O_EXCL`: never through a link that somebody has put there.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw writeError(errno) }
        var info = stat()
        // Who may use the file stays as it was; for a new one the process's mask decides.
        if stat(target.path, &info) == 0 { fchmod(descriptor, info.st_mode & 0o7777) }
        // Down to the disk before the rename: a file system may write the two in another order, and a
        // crash would leave the new name with no content.
        let outcome = bytes.withUnsafeBytes { FileBytes.write($0, to: descriptor) }
        close(descriptor)
        if case .failure(let failure) = outcome {
            unlink(temporary)
            throw writeError(failure.code)
        }
        return Replacement(temporaryPath: temporary, file: self, targetPath: target.path)
    }

    private func writeError(_ code: Int32) -> CocoaError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(url)
        case EACCES, EPERM: .fileNotWritable(url)
        case EROFS: .volumeReadOnly(url)
        default: .storeSave(url, String(cString: strerror(code)))
        }
    }
}
