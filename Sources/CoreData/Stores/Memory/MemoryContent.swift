/// The rows and keys of a store that keeps all its rows in memory.
///
/// > Threading: Any thread. A reader has the rows as they were when it began.
final class MemoryContent: Sendable {
    struct State {
        var tables: MemoryTables?
        /// By layout index: whether the store holds the entity.
        var members: [Bool] = []
        /// The next primary key of each root entity.
        var nextKeys: [Int: Int64] = [:]
    }
    let state = Locked(State())
    /// Held for the whole of a write, from its checks to its end, so that of two writes the second
    /// checks its versions against what the first has written. Readers don't take it: they have the
    /// tables, which are values, as they were when the reading began.
    let writer = Locked(false)

    func open(_ model: ModelLayout, _ entities: [EntityLayout]) {
        var members = [Bool](repeating: false, count: model.entities.count)
        for entity in entities { members[entity.index] = true }
        state.withLock { state in
            state.tables = MemoryTables(model: model)
            state.members = members
        }
    }

    func close() { state.withLock { $0.tables = nil } }

    func holds(_ layout: EntityLayout) -> Bool {
        state.withLock { $0.members.indices.contains(layout.index) && $0.members[layout.index] }
    }

    func reserveKeys(_ rootIndex: Int, count: Int) -> Int64 {
        state.withLock { state in
            let first = state.nextKeys[rootIndex] ?? 1
            // Keys that a save does not use in the end are lost, which costs nothing; two contexts
            // never get the same.
            state.nextKeys[rootIndex] = first + Int64(count)
            return first
        }
    }

    /// Makes changes that have been checked. Keys need not come from `reserveKeys`, but are never
    /// handed out again.
    func apply(_ changes: StoreChangeSet) {
        state.withLock { state in
            state.tables?.apply(changes)
            guard let model = state.tables?.model else { return }
            for row in changes.inserts {
                let root = model.entities[row.entityIndex].rootIndex
                state.nextKeys[root] = max(state.nextKeys[root] ?? 1, row.primaryKey + 1)
            }
        }
    }
}

/// A store whose rows are all in memory while it is open.
///
/// > Threading: Any thread.
protocol MemoryRowStore: RowStore {
    var content: MemoryContent { get }
}

extension MemoryRowStore {
    /// The rows as they are now.
    func tables() throws -> MemoryTables {
        guard let tables = content.state.withLock({ $0.tables }) else {
            throw CocoaError.storeIsClosed(url)
        }
        return tables
    }

    /// The rows as they are now, for a request about an entity.
    func snapshot(for layout: EntityLayout) throws -> MemoryTables {
        let tables = try tables()
        guard holds(layout) else {
            throw CocoaError.storeOperation(
                url,
                "the entity \(layout.name) is not in the store's configuration; add a store whose "
                    + "configuration has it"
            )
        }
        return tables
    }

    func holds(_ layout: EntityLayout) -> Bool { content.holds(layout) }

    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 {
        guard !isReadOnly else { throw CocoaError.storeIsReadOnly(url, store: self) }
        return content.reserveKeys(rootIndex, count: count)
    }
}
