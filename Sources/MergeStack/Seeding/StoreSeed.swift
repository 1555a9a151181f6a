import CoreData
import Foundation
import Threads

/// A prepared store that is installed when an app starts for the first time.
///
/// ```swift
/// try StoreSeed(at: preparedURL).install(at: storeURL)
/// let stack = try NotificationMergeStack(model: model, stores: [NSPersistentStoreDescription(url: storeURL)])
/// ```
///
/// The store's file is copied with its `-wal` and `-shm` files and its folder of external data, all
/// or nothing: everything is copied to a staging folder first, and the store's own file, without
/// which the others mean nothing, is the last to get its name. An installation that was cut short
/// starts over the next time. Nothing that exists is overwritten.
///
/// > Threading: Any thread, and several processes: one of them installs, the others wait for it.
/// > No stack may have either store open.
public struct StoreSeed: Sendable {
    private let url: URL
    private let fileOperations: SeedFileOperations

    /// Names a prepared store of SQLite type; it may be write-protected.
    public init(at url: URL) {
        self.init(at: url, fileOperations: SeedFileOperations())
    }

    init(at url: URL, fileOperations: SeedFileOperations) {
        self.url = url
        self.fileOperations = fileOperations
    }

    /// Puts a copy of the store in place, unless there is a store already.
    ///
    /// The empty database that `destroyPersistentStore` leaves counts as one: remove the file first.
    ///
    /// - Parameter storeURL: The new store's file; its folder is made if need be.
    /// - Returns: Whether it was installed; false if there was a store.
    /// - Throws: ``MergeStackError`` with code `seedNotInstalled` if there is no prepared store, if
    ///   there are remains of a store without its own file, or if copying failed. Then nothing is
    ///   at the place.
    @discardableResult
    public func install(at storeURL: URL) throws -> Bool {
        let folder = storeURL.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try FolderLock.whileLocked(folder) {
                try SeedInstallation(from: url, to: storeURL, fileOperations).run()
            }
        } catch let error as MergeStackError {
            throw error
        } catch {
            throw MergeStackError(
                .seedNotInstalled,
                "The store \(url.lastPathComponent) could not be copied to "
                    + "\(storeURL.lastPathComponent), and nothing of it was kept: see to the "
                    + "cause and try again. \(error.localizedDescription)",
                underlyingError: error
            )
        }
    }
}

/// What an installation does to files; a test can have it fail.
struct SeedFileOperations: Sendable {
    /// Called before each operation with what it is about to do.
    var willPerform: @Sendable (_ operation: String) throws -> Void = { _ in }

    func makeFolder(_ url: URL) throws {
        try willPerform("makeFolder")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    /// Copies a file or folder, makes it writable and waits until it is on disk.
    func copy(_ source: URL, to target: URL) throws {
        try willPerform("copy")
        try FileManager.default.copyItem(at: source, to: target)
        try settle(target)
        let inside = FileManager.default.enumerator(at: target, includingPropertiesForKeys: nil)
        while let file = inside?.nextObject() as? URL { try settle(file) }
    }

    func move(_ source: URL, to target: URL) throws {
        try willPerform("move")
        try FileManager.default.moveItem(at: source, to: target)
    }

    /// Gives a file a second name; fails if something has that name.
    func link(_ source: URL, to target: URL) throws {
        try willPerform("link")
        try FileManager.default.linkItem(at: source, to: target)
    }

    func remove(_ url: URL) throws {
        try willPerform("remove")
        try FileManager.default.removeItem(at: url)
    }

    private func settle(_ url: URL) throws {
        let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
        try FileManager.default.setAttributes(
            [.posixPermissions: isFolder ? 0o755 : 0o644],
            ofItemAtPath: url.path
        )
        try FolderLock.synchronize(url)
    }
}
