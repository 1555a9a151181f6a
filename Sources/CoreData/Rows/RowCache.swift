/// The rows of one root entity's table that are in memory, by primary key.
///
/// The cache holds rows weakly: it knows a row for as long as an object of some context, or a
/// notification in flight, holds it. The rows of a save are in the cache before the save's
/// notification is posted.
///
/// > Threading: Any thread.
final class RowCache: Sendable {
    private struct State: ~Copyable {
        var rows = PagedKeyMap()
        var commitCount = 0
    }
    /// The word of a key whose row this process knows to be deleted: a merge that is told of the
    /// row later leaves it deleted. No other row is ever given the key, so tombstones may stay.
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
            // Under the same lock as the rows: a reader that compares the counts in `insert` sees
            // either both or neither.
            state.commitCount += 1
            for row in rows { Self.put(row, in: &state, cache: self) }
            for primaryKey in primaryKeys {
                Self.drop(primaryKey, in: &state)
                state.rows.set(primaryKey, Self.tombstone)
            }
        }
    }

    /// Takes in what a batch request has committed: SQL has changed the rows, so that their new
    /// values are not at hand, and the next access reads them.
    func commit(changed: [Int64], deleted: [Int64]) {
        state.withLock { state in
            state.commitCount += 1
            for primaryKey in changed { Self.drop(primaryKey, in: &state) }
            for primaryKey in deleted {
                Self.drop(primaryKey, in: &state)
                state.rows.set(primaryKey, Self.tombstone)
            }
        }
    }

    /// Forgets everything that is known, so that the next access reads the store. Counts as a
    /// commit: a reader that began before may have seen what another process has replaced.
    func invalidate(_ primaryKey: Int64) {
        state.withLock { state in
            state.commitCount += 1
            Self.drop(primaryKey, in: &state)
        }
    }

    /// Called by a row that is being deallocated.
    func forget(_ row: Row, _ primaryKey: Int64) {
        let word = WeakWord.word(row)
        state.withLock { state in
            // A commit may have put a newer version of the row in its place, which stays.
            if state.rows[primaryKey] == word { state.rows.set(primaryKey, 0) }
        }
    }

    private static func put(_ row: Row, in state: inout State, cache: RowCache) {
        let word = WeakWord.word(row)
        let old = state.rows[row.primaryKey]
        if old != word { letGo(old) }
        // Before other threads can find the row, which tells its cache when it ends.
        row.enter(cache)
        state.rows.set(row.primaryKey, word)
    }

    private static func drop(_ primaryKey: Int64, in state: inout State) {
        let word = state.rows[primaryKey]
        guard word != 0 else { return }
        letGo(word)
        state.rows.set(primaryKey, 0)
    }

    /// Tells the row of a word that the cache knows something newer. The row need not be retained:
    /// one that is going has to come by the lock that is held here before its memory goes.
    private static func letGo(_ word: UInt) {
        guard word > tombstone, let pointer = UnsafeRawPointer(bitPattern: word) else { return }
        Unmanaged<Row>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.leaveCache() }
    }
}
