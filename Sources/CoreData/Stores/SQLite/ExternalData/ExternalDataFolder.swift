import Foundation

/// The folder of the values that are too large for the database:
/// `.<store>_SUPPORT/_EXTERNAL_DATA` beside it.
///
/// Files are named by UUIDs. Nothing else is read, written or removed, and no link is followed
/// inside.
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

    /// The bytes of a value; nil if there is no such file.
    ///
    /// - Throws: 256, or 257 for want of permission, if there is one and it can't be read: what is
    ///   wrong now (too many open files, a disk that fails) must not look like a missing value.
    func read(_ name: String) throws -> Data? {
        // The name comes from the database, which may come from anywhere: nothing but a UUID is
        // taken, so that it can't lead out of the folder.
        guard let uuid = UUID(uuidString: name), let folder = try open(orThrow: readFailure)
        else { return nil }
        defer { close(folder) }
        let descriptor = openat(folder, uuid.uuidString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw readFailure(errno, of: name)
        }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw readFailure(errno, of: name) }
        var data = Data(count: Int(info.st_size))
        switch data.withUnsafeMutableBytes({ FileBytes.read(descriptor, into: $0) }) {
        case .success(let count): return data.prefix(count)
        case .failure(let failure): throw readFailure(failure.code, of: name)
        }
    }

    /// The names of the files that may belong to values.
    func names() throws -> [String] {
        guard let folder = try open(orThrow: readFailure) else { return [] }
        close(folder)
        let path = support.appendingPathComponent(Self.folderName).path
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { UUID(uuidString: $0)?.uuidString == $0 }
    }

    // MARK: Writing

    /// Writes a value to a new file, down to the disk.
    ///
    /// - Parameter name: The file's name, which must be new; nil to make one.
    /// - Returns: The file's name.
    func write(_ bytes: UnsafeRawBufferPointer, to name: String? = nil) throws -> String {
        let folder = try openOrMake()
        defer { close(folder) }
        let name = name ?? UUID().uuidString
        // A file that is there already may be another row's value: it is never written over.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = openat(folder, name, flags, mode_t(0o644))
        guard descriptor >= 0 else { throw failure(errno) }
        do {
            // Synced before its name is in any row: a commit may reach the disk before a file that
            // is not synced.
            try write(bytes, to: descriptor)
            close(descriptor)
        } catch {
            close(descriptor)
            unlinkat(folder, name, 0)
            throw error
        }
        return name
    }

    /// Copies files into another store's folder, which has none of these names.
    ///
    /// - Returns: The names of files that are not there.
    func copy(_ names: some Sequence<String>, to other: ExternalDataFolder) throws -> [String] {
        var missing: [String] = []
        for name in names.sorted() {
            guard let bytes = try read(name) else {
                missing.append(name)
                continue
            }
            try bytes.withUnsafeBytes { _ = try other.write($0, to: name) }
        }
        return missing
    }

    /// Removes files; those that are not there count as removed.
    ///
    /// One that can't be removed is left to the next `ExternalDataSweep`: no row refers to it.
    func remove(_ names: some Sequence<String>) {
        do {
            guard let folder = try open(orThrow: failure) else { return }
            defer { close(folder) }
            // By the folder's descriptor: no path is followed, whatever took the folder's place
            // meanwhile.
            for name in names where UUID(uuidString: name) != nil { unlinkat(folder, name, 0) }
        } catch {
            return
        }
    }

    /// Moves files into another store's folder, down to the disk; names are unique.
    func move(_ names: [String], to other: ExternalDataFolder) throws {
        guard !names.isEmpty else { return }
        guard let folder = try open(orThrow: failure) else { throw failure(ENOENT) }
        defer { close(folder) }
        let target = try other.openOrMake()
        defer { close(target) }
        for name in names where UUID(uuidString: name) != nil {
            if renameat(folder, name, target, name) != 0 { throw other.failure(errno) }
            try FileTrace.note(.rename, other.path(name))
        }
        // Before the database that refers to the files takes its place: a caller goes on to that
        // next.
        try other.flush(withParents: true)
    }

    /// Brings the folder's entries to the disk.
    ///
    /// - Parameter withParents: Whether also those of the folders above that lead to it: they may
    ///   have been made by a process that was killed before they got there.
    func flush(withParents: Bool) throws {
        guard let folder = try open(orThrow: failure) else { throw failure(ENOENT) }
        defer { close(folder) }
        if fsync(folder) != 0 { throw failure(errno) }
        try FileTrace.note(.sync, path(nil))
        guard withParents else { return }
        try Self.synchronize(support)
        try Self.synchronize(support.deletingLastPathComponent())
    }

    /// Brings the entries of a folder to the disk.
    static func synchronize(_ folder: URL) throws {
        let descriptor = Foundation.open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno, folder) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw failure(errno, folder) }
        try FileTrace.note(.sync, folder.path)
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        if case .failure(let error) = FileBytes.write(bytes, to: descriptor) {
            throw failure(error.code)
        }
    }

    // MARK: Folders

    /// A descriptor of the folder; nil if there is none.
    ///
    /// - Parameter error: What is thrown where it can't be opened.
    private func open(orThrow error: (Int32) -> CocoaError) throws -> Int32? {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        // Folder by folder, since O_NOFOLLOW concerns the last part of a path only.
        let outer = Foundation.open(support.path, flags)
        guard outer >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw error(errno)
        }
        defer { close(outer) }
        let inner = openat(outer, Self.folderName, flags)
        guard inner >= 0 else {
            if errno == ENOENT { return nil }
            throw error(errno)
        }
        return inner
    }

    private func openOrMake() throws -> Int32 {
        if let folder = try open(orThrow: failure) { return folder }
        let inner = support.appendingPathComponent(Self.folderName)
        // Somebody else may be making them at this moment. What is there is then opened without
        // following links.
        for folder in [support, inner] {
            if mkdir(folder.path, 0o755) == 0 {
                try FileTrace.note(.makeFolder, folder.path)
            } else if errno != EEXIST {
                throw failure(errno)
            }
        }
        // What can't be opened by now is in the way of a folder.
        guard let folder = try open(orThrow: failure) else { throw failure(ENOTDIR) }
        return folder
    }

    private func path(_ name: String?) -> String {
        let folder = support.appendingPathComponent(Self.folderName)
        return (name.map { folder.appendingPathComponent($0) } ?? folder).path
    }

    private func readFailure(_ code: Int32, of name: String) -> CocoaError {
        .externalValueNotReadable(URL(fileURLWithPath: path(name)), code: code)
    }

    private func readFailure(_ code: Int32) -> CocoaError {
        .externalValueNotReadable(URL(fileURLWithPath: path(nil)), code: code)
    }

    private func failure(_ code: Int32) -> CocoaError { Self.failure(code, support) }

    private static func failure(_ code: Int32, _ folder: URL) -> CocoaError {
        let underlying = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        switch code {
        case ENOSPC, EDQUOT: return .diskFull(folder, underlying: underlying)
        case EROFS: return .volumeReadOnly(folder, underlying: underlying)
        case EACCES, EPERM: return .fileNotWritable(folder, underlying: underlying)
        default:
            return .storeSave(
                folder,
                "a value that is kept in a file of its own could not be written "
                    + "(\(String(cString: strerror(code))))",
                underlying: underlying
            )
        }
    }
}
