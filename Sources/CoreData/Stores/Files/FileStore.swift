import Foundation

/// A store that is read as a whole when it is added, and written as a whole by each save: into a
/// new file, which then takes the place of the old one in one step.
///
/// > Threading: Any thread. A reader has the rows as they were when it began.
class FileStore: NSPersistentStore, MemoryRowStore, @unchecked Sendable {
    // @unchecked: `content` and `file` guard themselves.

    private struct FileState {
        /// The file as this store read or wrote it last.
        var stamp: StoreFileAccess.Stamp?
        /// Whether the client has set metadata that are not in the file yet.
        var isMetadataChanged = false
    }
    let content = MemoryContent()
    private let file = Locked(FileState())

    class var format: any StoreFileFormat.Type {
        fatalError("A store in a file has a format.")
    }
    override var type: String { Self.format.storeType }

    override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = newValue
            file.withLock { $0.isMetadataChanged = true }
        }
    }

    var hasChangedMetadata: Bool { file.withLock { $0.isMetadataChanged } }

    private func access() throws -> StoreFileAccess {
        try StoreFileAccess(url ?? .nullDevice)
    }

    // MARK: Opening and closing

    func open(model: ModelLayout, entities: [EntityLayout]) throws {
        let access = try access()
        // Before reading: if the file is replaced meanwhile, the first save notices.
        let stamp = access.stamp
        guard stamp != nil || !isReadOnly else {
            throw CocoaError.noSuchFile(
                access.url,
                "check the path, or add the store without NSReadOnlyPersistentStoreOption to make it"
            )
        }
        guard stamp != nil else {
            try completeMetadata(entities)
            content.open(model, entities)
            try content.writer.withLock { _ in try writeFile(tables()) {} }
            return
        }
        let image = try Self.format.decode(try access.read(), url: access.url)
        super.metadata = image.metadata
        try Self.checkType(image.metadata, url: access.url)
        try completeMetadata(entities)
        let (changes, nextKeys) = try image.contents(model, url: access.url)
        let members = Set(entities.map(\.index))
        guard changes.inserts.allSatisfy({ members.contains($0.entityIndex) }) else {
            throw CocoaError.corruptFile(
                access.url,
                "it has objects of entities that are not in the configuration; add it with its own"
            )
        }
        content.open(model, entities)
        content.apply(changes)
        // After the rows, whose own keys `apply` has seen to: rows with larger keys may have been
        // deleted, and those keys are not handed out again either.
        content.state.withLock { $0.nextKeys.merge(nextKeys) { max($0, $1) } }
        // Last, as setting the metadata above counted as a change of the client's, which it is not.
        file.withLock { $0 = FileState(stamp: stamp) }
    }

    private static func checkType(_ metadata: [String: Any], url: URL) throws {
        let type = metadata[NSStoreTypeKey] as? String
        guard type == nil || type == format.storeType else {
            throw CocoaError.storeTypeMismatch(url, expected: format.storeType, found: type ?? "")
        }
    }

    func close() {
        let isChanged = file.withLock { $0.isMetadataChanged }
        if isChanged, !isReadOnly {
            do {
                try content.writer.withLock { _ in try writeFile(tables()) {} }
            } catch {
                // Closing cannot fail; what a client sets and never saves may be lost.
            }
        }
        content.close()
    }

    // MARK: Writing

    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        try content.writer.withLock { _ in
            // A copy of its own, which is given up if the file can't be written.
            var next = try tables()
            try next.check(changes)
            next.apply(changes)
            try writeFile(next, beforeCommit: beforeCommit)
            // Only now: a file that can't be written leaves the rows as they were.
            content.apply(changes)
        }
    }

    /// Writes rows into the file; the caller holds the writer's lock.
    private func writeFile(_ tables: MemoryTables, beforeCommit: () throws -> Void) throws {
        let access = try access()
        // Taken back before the metadata are read: what a client sets from here on goes into the
        // next file.
        let (known, wasChanged) = file.withLock { state in
            defer { state.isMetadataChanged = false }
            return (state.stamp, state.isMetadataChanged)
        }
        do {
            // This store has no lock on the file: what another one has written is told by the
            // stamp, and is never overwritten.
            guard known == access.stamp else {
                throw CocoaError.storeSave(
                    access.url,
                    "another process or coordinator has replaced or removed the file since it was "
                        + "read; remove the store, add it again and repeat the changes",
                    stores: [self]
                )
            }
            // The rows that are being written are not in the content yet.
            var nextKeys = content.state.withLock { $0.nextKeys }
            for (root, table) in tables.tables {
                nextKeys[root] = max(nextKeys[root] ?? 1, (table.keys.last ?? 0) + 1)
            }
            let image = StoreImage(tables, nextKeys: nextKeys, metadata: metadata ?? [:])
            let replacement = try access.prepare(
                try Self.format.encode(image, url: access.url)
            )
            do {
                // The new file is complete on the disk, so that only the rename is left to fail
                // once the other stores of the save are written.
                try beforeCommit()
                try replacement.commit()
            } catch {
                replacement.discard()
                throw error
            }
        } catch {
            if wasChanged { file.withLock { $0.isMetadataChanged = true } }
            throw error
        }
        // The file's own new state, else the next save would take it for somebody else's.
        file.withLock { $0.stamp = access.stamp }
    }

    // MARK: Stores that are not open

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        let access = try StoreFileAccess(url)
        let metadata = try format.metadata(in: try access.read(), url: access.url)
        try checkType(metadata, url: access.url)
        return metadata
    }

    override class func setMetadata(
        _ metadata: [String: Any]?,
        forPersistentStoreAt url: URL
    ) throws {
        let access = try StoreFileAccess(url)
        var image = try format.decode(try access.read(), url: access.url)
        try checkType(image.metadata, url: access.url)
        var values = metadata ?? [:]
        // What tells whether the store fits a model stays, even if the client's dictionary lacks
        // it.
        for key in [
            NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey,
            NSStoreModelVersionIdentifiersKey,
        ] where values[key] == nil {
            values[key] = image.metadata[key]
        }
        image.metadata = values
        try access.prepare(try format.encode(image, url: access.url)).commit()
    }
}

/// A store in a binary file.
final class BinaryStore: FileStore, @unchecked Sendable {
    override class var format: any StoreFileFormat.Type { BinaryStoreFormat.self }
}

/// A store in an XML file.
final class XMLStore: FileStore, @unchecked Sendable {
    override class var format: any StoreFileFormat.Type { XMLStoreFormat.self }
}
