/// The rows of one root entity's table that anyone still holds, by primary key.
///
/// Rows are held weakly: a row is known for as long as an object of some context, or a
/// notification under way, holds it. What a save wrote is here before its notification is posted.
///
/// > Threading: Any thread.
final class RowCache: Sendable {
    private struct State: ~Copyable {
        var rows = PagedKeyMap()
        var commitCount = 0
    }
    /// Stands in for a row that this process knows to be deleted; keys are never used again.
    private static let tombstone: UInt = 1
    private let state = Locked(State())

    init() { WeakWord.checked }

    enum Entry {
        case unknown
        case deleted
        case row(Row)
    }

    /// Counts the commits that this cache was told of. A reader takes it before its read
    /// transaction begins; see `insert(_:readAt:)`.
    var commitCount: Int { state.withLock { $0.commitCount } }

    func entry(_ primaryKey: Int64) -> Entry {
        state.withLock { state in
            let word = state.rows[primaryKey]
            if word == 0 { return .unknown }
            if word == Self.tombstone { return .deleted }
            return WeakWord.object(word, as: Row.self).map { .row($0) } ?? .unknown
        }
    }

    /// The row for a key if it is here with exactly this version: what a reader checks before it
    /// decodes a row.
    @inline(__always) func row(_ primaryKey: Int64, version: Int32) -> Row? {
        // Compared outside the lock: letting go of a row's last reference inside would need it again.
        let row: Row? = state.withLock { state in
            let word = state.rows[primaryKey]
            return word > Self.tombstone ? WeakWord.object(word, as: Row.self) : nil
        }
        return row?.version == version ? row : nil
    }

    /// Takes in a row that was read by a transaction that began when `commitCount` had the value
    /// `readAt`. A row that a commit may have replaced meanwhile stays out; its reader keeps it.
    @inline(__always) func insert(_ row: Row, readAt: Int) {
        state.withLock { state in
            guard state.commitCount == readAt else { return }
            Self.put(row, in: &state, cache: self)
        }
    }

    /// Takes in what a commit wrote.
    func commit(written rows: [Row], deleted primaryKeys: [Int64]) {
        state.withLock { state in
            state.commitCount += 1
            for row in rows { Self.put(row, in: &state, cache: self) }
            for primaryKey in primaryKeys { state.rows.set(primaryKey, Self.tombstone) }
        }
    }

    /// Takes in what a commit did that wrote no whole rows.
    func commit(changed: [Int64], deleted: [Int64]) {
        state.withLock { state in
            state.commitCount += 1
            for primaryKey in changed where state.rows[primaryKey] != 0 {
                state.rows.set(primaryKey, 0)
            }
            for primaryKey in deleted { state.rows.set(primaryKey, Self.tombstone) }
        }
    }

    /// Forgets everything that is known, so that the next access reads the store. Counts as a
    /// commit: a reader that began before may have seen what another process has replaced.
    func invalidate(_ primaryKey: Int64) {
        state.withLock { state in
            state.commitCount += 1
            if state.rows[primaryKey] != 0 { state.rows.set(primaryKey, 0) }
        }
    }

    /// Called by a row that goes.
    func forget(_ row: Row, _ primaryKey: Int64) {
        let word = WeakWord.word(row)
        state.withLock { state in
            if state.rows[primaryKey] == word { state.rows.set(primaryKey, 0) }
        }
    }

    private static func put(_ row: Row, in state: inout State, cache: RowCache) {
        row.withUnsafeMutablePointerToHeader { $0.pointee.cache = cache }
        state.rows.set(row.primaryKey, WeakWord.word(row))
    }
}
