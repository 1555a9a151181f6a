/// Tells a test in which order files beside SQLite's own are made durable: what a power cut leaves
/// depends on it, and nothing else shows it. An observer that throws stands for a disk that fails.
enum FileTrace {
    enum Event: Sendable {
        case makeFolder, rename, sync
        /// A transaction that replaces all that a database holds.
        case commit
    }
    typealias Observer = @Sendable (Event, String) throws -> Void
    private static let observers = Locked<[Int: Observer]>([:])

    /// Has events of the whole process be told while a body runs.
    static func observing<Result>(
        _ observer: @escaping Observer,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let key = observers.withLock { observers in
            let key = (observers.keys.max() ?? 0) + 1
            observers[key] = observer
            return key
        }
        defer { observers.withLock { $0[key] = nil } }
        return try body()
    }

    static func note(_ event: Event, _ path: String) throws {
        // Called outside of the lock: an observer is free to end its own or another's observation.
        for observer in observers.withLock({ Array($0.values) }) { try observer(event, path) }
    }
}
