/// The primary keys that this process has taken, of each root entity.
///
/// Keys are taken without a write, so that a save costs one commit and not two. The save then
/// raises `Z_MAX`; if another process has raised it meanwhile, keys taken before may be in use.
///
/// Objects that are given permanent IDs ahead of their save can't change them. Their keys are
/// claimed: `Z_MAX` is raised at once, so that no other process takes them.
///
/// > Threading: Any thread.
final class PrimaryKeyReservations: Sendable {
    /// Keys that were claimed.
    struct Claims {
        /// In order, and not next to each other.
        private var ranges: [ClosedRange<Int64>] = []

        func contains(_ key: Int64) -> Bool {
            var low = 0, high = ranges.count
            while low < high {
                let middle = (low + high) / 2
                if ranges[middle].upperBound < key { low = middle + 1 } else { high = middle }
            }
            return low < ranges.count && ranges[low].contains(key)
        }

        /// Keys are mostly taken in ascending order.
        fileprivate mutating func insert(_ range: ClosedRange<Int64>) {
            if let last = ranges.last, last.upperBound + 1 == range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound...range.upperBound
                return
            }
            // Those that a server gives out come in blocks, and two threads may note theirs in the
            // other order.
            let index = ranges.lastIndex { $0.lowerBound < range.lowerBound }
            ranges.insert(range, at: index.map { $0 + 1 } ?? 0)
        }
    }
    private struct Keys {
        /// The next key to hand out.
        var next: Int64 = 1
        /// The highest `Z_MAX` that this process has written or begun with.
        var written: Int64 = -1
        /// The highest `Z_MAX` that another process is known to have written.
        var foreign: Int64 = 0
        var claims = Claims()

        mutating func sawMaximum(_ maximum: Int64) {
            // What is there at first is another's, or this process's own of an earlier time: not
            // new.
            if written < 0 {
                written = maximum
                foreign = maximum
            } else if maximum > written {
                // `willCommit` has noted all that this process raises before anyone can read it, so
                // what is higher is another process's.
                foreign = max(foreign, maximum)
            }
            // A file may say anything: beyond the last key there is none, and the sum would overflow.
            next = max(next, min(maximum, RowReference.maximumPrimaryKey) + 1)
        }
    }
    private let state = Locked<[Int: Keys]>([:])

    /// Takes keys that follow both `Z_MAX` and what has been taken; nil if there are too few left.
    func take(rootIndex: Int, count: Int, maximumInFile: Int64) -> Int64? {
        state.withLock { state in
            var keys = state[rootIndex] ?? Keys()
            keys.sawMaximum(maximumInFile)
            let first = keys.next
            // What a file says may leave no room: a reference to a row has 47 bits for the key. The
            // difference is taken from the limit, since the sum could overflow.
            guard first > 0, count >= 0,
                Int64(count) <= RowReference.maximumPrimaryKey - first + 1
            else { return nil }
            keys.next += Int64(count)
            // Keys are never given back: those of a save that fails leave a gap, as deleted rows
            // do.
            state[rootIndex] = keys
            return first
        }
    }

    /// Notes that `Z_MAX` is about to be raised for keys that were taken.
    func claim(_ range: ClosedRange<Int64>, rootIndex: Int) {
        state.withLock { $0[rootIndex, default: Keys()].claims.insert(range) }
    }

    /// The keys of a root entity that were claimed.
    func claims(rootIndex: Int) -> Claims { state.withLock { $0[rootIndex]?.claims ?? Claims() } }

    /// Whether all keys from `lowest` on are this process's, given `Z_MAX` as a save finds it.
    func areOurs(rootIndex: Int, lowest: Int64, maximumInFile: Int64) -> Bool {
        state.withLock { state in
            var keys = state[rootIndex] ?? Keys()
            keys.sawMaximum(maximumInFile)
            state[rootIndex] = keys
            // Higher keys than any that others are known to have written can only be ours.
            return lowest > keys.foreign
        }
    }

    /// Notes what a save is about to commit: before the commit, for a reader may see the new
    /// `Z_MAX` at once and must not take it for another process's.
    func willCommit(rootIndex: Int, maximum: Int64) {
        state.withLock { state in
            var keys = state[rootIndex] ?? Keys()
            keys.written = max(keys.written, maximum)
            keys.next = max(keys.next, maximum + 1)
            state[rootIndex] = keys
        }
    }

    /// Takes back `willCommit`, when the commit has failed: what `Z_MAX` is seen next counts.
    func didNotCommit(rootIndex: Int) { state.withLock { $0[rootIndex]?.written = -1 } }
}
