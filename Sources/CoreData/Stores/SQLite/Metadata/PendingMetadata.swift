/// The metadata of an open store, and whether a client has set some of it that no save has written
/// yet.
///
/// > Threading: Any thread.
final class PendingMetadata: Sendable {
    private struct State {
        /// Nil until the store is opened.
        var metadata: StoreMetadata?
        var isChanged = false
    }
    private let state = Locked(State())

    /// Whether the next save has something to write.
    var isChanged: Bool { state.withLock { $0.isChanged } }

    /// Notes what an opened store has.
    func begin(with metadata: StoreMetadata) {
        state.withLock { $0 = State(metadata: metadata, isChanged: false) }
    }

    /// Takes in what a client sets.
    ///
    /// - Returns: The store's form of it, for keys that the format needs can't be removed by a
    ///   client. Before the store is opened there is none, and the values are the client's.
    func set(_ clientValues: [String: Any]) -> [String: Any] {
        state.withLock { state in
            state.metadata?.set(clientValues)
            state.isChanged = state.metadata != nil
            return state.metadata?.clientValues ?? clientValues
        }
    }

    /// What a save has to write; nil if there is nothing.
    ///
    /// Taken before the save and put back if it fails, so that what a client sets meanwhile counts
    /// as a change of its own.
    func take() -> StoreMetadata? {
        state.withLock { state in
            guard state.isChanged else { return nil }
            state.isChanged = false
            return state.metadata
        }
    }

    /// Runs a save with what it has to write. If it fails, that is put off until the next one: what
    /// a client has set meanwhile is in the metadata already, and goes with it.
    func write<Result>(_ save: (StoreMetadata?) throws -> Result) rethrows -> Result {
        let taken = take()
        do {
            return try save(taken)
        } catch {
            if taken != nil { state.withLock { $0.isChanged = true } }
            throw error
        }
    }
}
