import Foundation

/// A store in memory, which lives as long as its coordinator. It behaves as an SQLite store does.
///
/// > Threading: Any thread. A reader has the rows as they were when it began.
final class InMemoryStore: NSPersistentStore, MemoryRowStore, @unchecked Sendable {
    // @unchecked: `content` guards itself.

    let content = MemoryContent()

    override var type: String { NSInMemoryStoreType }
    override class var isFile: Bool { false }

    func open(model: ModelLayout, entities: [EntityLayout]) throws {
        metadata = [
            NSStoreTypeKey: NSInMemoryStoreType,
            NSStoreUUIDKey: identifier ?? "",
            NSStoreModelVersionHashesKey: ModelVersion.hashes(of: entities.map(\.entity)),
        ]
        content.open(model, entities)
    }

    func close() { content.close() }

    func write(_ changes: StoreChangeSet, beforeCommit: () throws -> Void) throws {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        try content.writer.withLock { _ in
            // All that can fail comes before the other stores of the save are written: `apply` does
            // not.
            try tables().check(changes)
            try beforeCommit()
            content.apply(changes)
        }
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        [NSStoreTypeKey: NSInMemoryStoreType]
    }

    override class func removeStore(at url: URL) throws {}

    override class func replaceStore(
        at destination: URL,
        withStoreAt source: URL,
        willReplace: () throws -> Void
    ) throws {
        throw CocoaError.unsupportedRequest(
            "replacePersistentStore",
            storeType: NSInMemoryStoreType
        )
    }
}
