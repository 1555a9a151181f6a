import Foundation

/// A store in memory, gone with its coordinator; it behaves as an SQLite store does.
///
/// > Threading: Any thread. A reader has the rows as they were when it began.
final class InMemoryStore: NSPersistentStore, RowStore, @unchecked Sendable {
    // @unchecked: `state` is behind its lock.

    struct State {
        var tables: MemoryTables?
        /// By layout index: whether the store holds the entity.
        var members: [Bool] = []
        /// The next primary key of each root entity.
        var nextKeys: [Int: Int64] = [:]
    }
    let state = Locked(State())

    override var type: String { NSInMemoryStoreType }

    func open(model: ModelLayout, entities: [EntityLayout]) throws {
        var members = [Bool](repeating: false, count: model.entities.count)
        for entity in entities { members[entity.index] = true }
        let hashes = ModelVersion.hashes(of: entities.map(\.entity))
        metadata = [
            NSStoreTypeKey: NSInMemoryStoreType,
            NSStoreUUIDKey: identifier ?? "",
            ModelVersion.metadataKey: hashes,
        ]
        state.withLock { state in
            state.tables = MemoryTables(model: model)
            state.members = members
        }
    }

    func close() { state.withLock { $0.tables = nil } }

    /// The rows as they are now.
    func snapshot(for layout: EntityLayout) throws -> MemoryTables {
        guard let tables = state.withLock({ $0.tables }) else {
            throw ConnectionPool.closedError(url)
        }
        guard holds(layout) else {
            throw CocoaError.storeOperation(
                url,
                "the entity \(layout.name) is not in the store's configuration; add a store whose "
                    + "configuration has it"
            )
        }
        return tables
    }

    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        return state.withLock { state in
            let first = state.nextKeys[rootIndex] ?? 1
            state.nextKeys[rootIndex] = first + Int64(count)
            return first
        }
    }

    func write(_ changes: StoreChangeSet) throws {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        try state.withLock { state in
            guard let model = state.tables?.model else { throw ConnectionPool.closedError(url) }
            try state.tables?.check(changes)
            state.tables?.apply(changes)
            // Keys need not come from `reservePrimaryKeys`, but are never handed out again.
            for row in changes.inserts {
                let root = model.entities[row.entityIndex].rootIndex
                state.nextKeys[root] = max(state.nextKeys[root] ?? 1, row.primaryKey + 1)
            }
        }
    }
}
