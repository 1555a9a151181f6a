/// What object IDs keep of their store: enough to compare, without keeping it alive.
///
/// > Threading: Any thread.
final class StoreIdentity: Sendable {
    private struct State {
        let store: WeakHold<NSPersistentStore>
        var identifier: String
    }
    private let state: Locked<State>
    /// The identifiers behind the keys of the store's rows, if its class has some of its own.
    let references: ReferenceKeys?

    init(_ store: NSPersistentStore) {
        references = type(of: store).knowsRowsByIdentifier ? ReferenceKeys() : nil
        state = Locked(State(store: WeakHold(store), identifier: store.identifier))
    }

    /// The store, for as long as it is in use.
    var store: NSPersistentStore? { state.withLock { $0.store }.object }

    /// The store's UUID; the last one known if the store was deallocated.
    var identifier: String {
        // Outside of the lock, which `store` takes, too.
        let store = self.store
        return state.withLock { state in
            if let current = store?.identifier { state.identifier = current }
            return state.identifier
        }
    }
}
