import Foundation

/// The folder of the values that are too large for the database:
/// `.<store>_SUPPORT/_EXTERNAL_DATA` beside it.
///
/// Files are named by UUIDs. Nothing else is read, written or removed, and no link is followed.
///
/// > Threading: A value; any thread.
struct ExternalDataFolder {
    private static let folderName = "_EXTERNAL_DATA"

    /// The folder beside the database that belongs to the store as a whole.
    let support: URL

    init(of store: URL) {
        let name = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
        support = store.deletingLastPathComponent()
            .appendingPathComponent(name, isDirectory: true)
    }

    // MARK: Reading

    /// The bytes of a value; nil if there is no such file, or it cannot be read.
    func read(_ name: String) -> Data? {
        guard let uuid = UUID(uuidString: name), let folder = open() else { return nil }
        defer { close(folder) }
        let descriptor = openat(folder, uuid.uuidString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            return nil  // An unreadable file is a missing value, as a missing one is.
        }
    }

    /// The names of the files that may belong to values.
    func names() throws -> [String] {
        guard let folder = open() else { return [] }
        close(folder)
        let path = support.appendingPathComponent(Self.folderName).path
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { UUID(uuidString: $0)?.uuidString == $0 }
    }

    // MARK: Writing

    /// Writes a value to a new file, down to the disk.
    ///
    /// - Returns: The file's name.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> String {
        let folder = try openOrMake()
        defer { close(folder) }
        let name = UUID().uuidString
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = openat(folder, name, flags, mode_t(0o644))
        guard descriptor >= 0 else { throw failure(errno) }
        do {
            try write(bytes, to: descriptor)
            close(descriptor)
        } catch {
            close(descriptor)
            unlinkat(folder, name, 0)
            throw error
        }
        return name
    }

    /// Removes files; those that are not there count as removed.
    func remove(_ names: some Sequence<String>) {
        guard let folder = open() else { return }
        defer { close(folder) }
        for name in names where UUID(uuidString: name) != nil { unlinkat(folder, name, 0) }
    }

    /// Moves files into another store's folder, down to the disk; names are unique.
    func move(_ names: [String], to other: ExternalDataFolder) throws {
        guard !names.isEmpty, let folder = open() else { return }
        defer { close(folder) }
        let target = try other.openOrMake()
        defer { close(target) }
        for name in names where UUID(uuidString: name) != nil {
            if renameat(folder, name, target, name) != 0 { throw other.failure(errno) }
        }
        if fsync(target) != 0 { throw other.failure(errno) }
    }

    /// Brings the folder's entries to the disk.
    func flush() throws {
        guard let folder = open() else { return }
        defer { close(folder) }
        if fsync(folder) != 0 { throw failure(errno) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = UnsafeRawBufferPointer(rebasing: rest)
            let count = Foundation.write(descriptor, chunk.baseAddress, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(errno)
            }
            rest = rest.dropFirst(count)
        }
        if fsync(descriptor) != 0 { throw failure(errno) }
    }

    // MARK: Folders

    /// A descriptor of the folder; nil if there is none.
    private func open() -> Int32? {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        let outer = Foundation.open(support.path, flags)
        guard outer >= 0 else { return nil }
        defer { close(outer) }
        let inner = openat(outer, Self.folderName, flags)
        return inner >= 0 ? inner : nil
    }

    private func openOrMake() throws -> Int32 {
        if let folder = open() { return folder }
        let inner = support.appendingPathComponent(Self.folderName)
        for folder in [support, inner] where mkdir(folder.path, 0o755) != 0 && errno != EEXIST {
            throw failure(errno)
        }
        guard let folder = open() else { throw failure(errno) }
        return folder
    }

    private func failure(_ code: Int32) -> CocoaError {
        let underlying = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        switch code {
        case ENOSPC, EDQUOT: return .diskFull(support, underlying: underlying)
        case EROFS: return .volumeReadOnly(support, underlying: underlying)
        case EACCES, EPERM: return .fileNotWritable(support, underlying: underlying)
        default:
            return .storeSave(
                support,
                "a value that is kept in a file of its own could not be written "
                    + "(\(String(cString: strerror(code))))",
                underlying: underlying
            )
        }
    }
}
