import Synchronization

/// The rows of one root entity's table that are in memory, by primary key.
///
/// The cache holds rows weakly: it knows a row for as long as an object of some context, or a
/// notification in flight, holds it. The rows of a save are in the cache before the save's
/// notification is posted.
///
/// > Threading: Any thread.
final class RowCache: SlabReader {
    /// The word of a key whose row this process knows to be deleted: a merge that is told of the
    /// row later leaves it deleted. No other row is ever given the key, so tombstones may stay.
    private static let tombstone: UInt = 1
    private let map = Locked(PagedKeyMap())
    /// Raised under the lock, with what a commit changes.
    private let commits = Atomic<Int>(0)

    init() {
        WeakWord.checked
        ObjectMemory.checked
    }

    enum Entry {
        case unknown
        case deleted
        case row(Row)
    }

    /// Counts the commits that this cache was told of. A reader takes it before its read
    /// transaction begins; see `insert(_:readAt:)`.
    var commitCount: Int { commits.load(ordering: .acquiring) }

    func entry(_ primaryKey: Int64) -> Entry {
        map.withLock { map in
            let word = map[primaryKey]
            if word == 0 { return .unknown }
            if word == Self.tombstone { return .deleted }
            return WeakWord.object(word, as: Row.self).map { .row($0) } ?? .unknown
        }
    }

    /// The row for a key if it is here with exactly this version: what a reader checks before it
    /// decodes a row.
    @inline(__always) func row(_ primaryKey: Int64, version: Int32) -> Row? {
        // Compared outside the lock: letting go of a row's last reference inside would need it again.
        let row: Row? = map.withLock { map in
            let word = map[primaryKey]
            return word > Self.tombstone ? WeakWord.object(word, as: Row.self) : nil
        }
        return row?.version == version ? row : nil
    }

    /// Takes in a row that was read by a transaction that began when `commitCount` had the value
    /// `readAt`. A row that a commit may have replaced meanwhile stays out; its reader keeps it.
    @inline(__always) func insert(_ row: Row, readAt: Int) {
        map.withLock { map in
            guard commitCount == readAt else { return }
            Self.put(row, in: &map, cache: self)
        }
    }

    /// The same for rows that were read one after the other, some of which may be here.
    ///
    /// - Returns: How many keys the cache has then.
    @discardableResult
    func insert(_ rows: [Row], readAt: Int) -> Int {
        map.withLock { map in
            if commitCount == readAt {
                for row in rows where !row.isNewestKnown { Self.put(row, in: &map, cache: self) }
            }
            return map.count
        }
    }

    /// How many keys of rows, and of rows that are deleted, the cache has.
    var count: Int { map.withLock { $0.count } }

    /// Takes in what a commit wrote.
    func commit(written rows: [Row], deleted primaryKeys: [Int64]) {
        map.withLock { map in
            // Under the same lock as the rows: a reader that compares the counts in `insert` sees
            // either both or neither.
            noteCommit()
            for row in rows { Self.put(row, in: &map, cache: self) }
            for primaryKey in primaryKeys {
                Self.drop(primaryKey, in: &map)
                map.set(primaryKey, Self.tombstone)
            }
        }
    }

    /// Takes in what a batch request has committed: SQL has changed the rows, so that their new
    /// values are not at hand, and the next access reads them.
    func commit(changed: [Int64], deleted: [Int64]) {
        map.withLock { map in
            noteCommit()
            for primaryKey in changed { Self.drop(primaryKey, in: &map) }
            for primaryKey in deleted {
                Self.drop(primaryKey, in: &map)
                map.set(primaryKey, Self.tombstone)
            }
        }
    }

    /// Forgets everything that is known, so that the next access reads the store. Counts as a
    /// commit: a reader that began before may have seen what another process has replaced.
    func invalidate(_ primaryKey: Int64) {
        map.withLock { map in
            noteCommit()
            Self.drop(primaryKey, in: &map)
        }
    }

    private func noteCommit() { commits.add(1, ordering: .releasing) }

    /// Called by a row that is being deallocated.
    func forget(_ row: Row, _ primaryKey: Int64) {
        let word = WeakWord.word(row)
        map.withLock { map in
            // A commit may have put a newer version of the row in its place, which stays.
            if map[primaryKey] == word { map.set(primaryKey, 0) }
        }
    }

    /// Called by a slab whose rows have all ended.
    func forget(objectsAt addresses: some Sequence<UnsafeMutableRawPointer>) {
        map.withLock { map in
            for address in addresses {
                let primaryKey = Row.primaryKey(at: address)
                if map[primaryKey] == UInt(bitPattern: address) {
                    map.set(primaryKey, 0)
                }
            }
        }
    }

    private static func put(_ row: Row, in map: inout PagedKeyMap, cache: RowCache) {
        let word = WeakWord.word(row)
        let old = map[row.primaryKey]
        if old != word { letGo(old) }
        // Before other threads can find the row, which tells its cache when it ends.
        row.enter(cache)
        map.set(row.primaryKey, word)
    }

    private static func drop(_ primaryKey: Int64, in map: inout PagedKeyMap) {
        let word = map[primaryKey]
        guard word != 0 else { return }
        letGo(word)
        map.set(primaryKey, 0)
    }

    /// Tells the row of a word that the cache knows something newer. The row need not be retained:
    /// one that is going, or its slab, has to come by the lock that is held here before its memory
    /// goes.
    private static func letGo(_ word: UInt) {
        guard word > tombstone, let address = UnsafeMutableRawPointer(bitPattern: word) else {
            return
        }
        Row.leaveCache(at: address)
    }
}
