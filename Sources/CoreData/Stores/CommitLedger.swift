import Foundation

/// What this process has committed to one store, row by row, while consistency is checked: tells
/// whether a context can know of a change already.
///
/// Commits are numbered by one clock for all stores. A context is *told* of a commit by merging it;
/// what it has read ahead of that may show either state, and is not judged.
///
/// > Threading: Any thread.
final class CommitLedger: Sendable {
    struct Key: Hashable {
        let rootIndex: Int
        let primaryKey: Int64
        /// Whether this is about the row's to-many relationships, which don't raise its version.
        var isOfToMany = false
    }
    enum Content: Equatable {
        /// Written by a save, at this version.
        case version(Int32)
        case deleted
        /// Changed by a batch request, or by another coordinator or process.
        case foreign
    }
    struct Entry {
        let content: Content
        /// `.max` while the commit is under way.
        let number: UInt64
        /// The commits before it, the last few of them.
        fileprivate var earlier: [Commit] = []

        /// The last commits, this one included.
        var commits: [Commit] {
            earlier + [Commit(number: number, isForeign: content == .foreign)]
        }

        /// Another commit on top of this one.
        fileprivate func followed(by content: Content, number: UInt64) -> Entry {
            // One that is under way was told to nobody: the next takes its place.
            // The last few only: a row that is saved again and again must not make its entry grow.
            let commits = self.number == .max ? earlier : commits
            return Entry(content: content, number: number, earlier: commits.suffix(8))
        }
    }
    struct Commit {
        let number: UInt64
        let isForeign: Bool
    }
    private struct State {
        var entries: [Key: Entry] = [:]
        var begunCount = 0
        var underWayCount = 0
    }
    private let state = Locked(State())
    /// The ledgers of stores by their files: what one of them commits is foreign to the others.
    private static let byFile = Locked<[String: [WeakLedger]]>([:])
    private struct WeakLedger: Sendable {
        weak let ledger: CommitLedger?
    }
    private let file = Locked<String?>(nil)
    private static let clock = Locked<UInt64>(0)

    /// The number of the last commit of this process.
    static var now: UInt64 { clock.withLock { $0 } }

    static func next() -> UInt64 {
        clock.withLock {
            $0 += 1
            return $0
        }
    }

    func entry(_ key: Key) -> Entry? { state.withLock { $0.entries[key] } }

    /// How many saves have begun; nil while one of them is not announced yet.
    var quietCount: Int? { state.withLock { $0.underWayCount == 0 ? $0.begunCount : nil } }

    /// Notes that a save begins.
    ///
    /// - Returns: The entries that it replaces.
    func begin(_ contents: [Key: Content]) -> [Key: Entry?] {
        state.withLock { state in
            state.begunCount += 1
            state.underWayCount += 1
            var old: [Key: Entry?] = [:]
            for (key, content) in contents {
                old.updateValue(state.entries[key], forKey: key)
                let entry = state.entries[key]?.followed(by: content, number: .max)
                state.entries[key] = entry ?? Entry(content: content, number: .max)
            }
            return old
        }
    }

    /// Notes that a save has failed.
    func cancel(_ old: [Key: Entry?]) {
        state.withLock { state in
            state.underWayCount -= 1
            // Another save may have committed the row meanwhile: its entry stays.
            for (key, entry) in old where state.entries[key]?.number == .max {
                state.entries[key] = entry
            }
        }
    }

    /// Has the ledgers of other stores in the same file be told of what is committed here.
    ///
    /// - Parameter path: Where the file is, links followed: each store may have its own way to it.
    func share(_ path: String) {
        let old = self.file.withLock { file in
            defer { file = path }
            return file
        }
        Self.byFile.withLock { table in
            if let old { table[old]?.removeAll { $0.ledger === self } }
            // Ledgers of stores that were removed go now; nothing else tells the table of their
            // end.
            let others = (table[path] ?? []).filter { $0.ledger != nil }
            table[path] = others + [WeakLedger(ledger: self)]
        }
    }

    /// Notes what a save has committed.
    func commitSave(_ contents: [Key: Content], number: UInt64) {
        commit(contents, number: number)
        guard let path = file.withLock({ $0 }) else { return }
        let ledgers = Self.byFile.withLock { $0[path] ?? [] }
        // Outside the lock of the table: each ledger takes its own.
        for other in ledgers.compactMap(\.ledger) where other !== self {
            other.commit(contents.mapValues { _ in .foreign }, number: number)
        }
    }

    /// Notes what a commit has written.
    func commit(_ contents: [Key: Content], number: UInt64) {
        state.withLock { state in
            for (key, content) in contents {
                // Threads may get here in another order than their saves were committed in.
                let isOlder: Bool
                if case .version(let new) = content, let entry = state.entries[key],
                    entry.number != .max, case .version(let known) = entry.content
                {
                    isOlder = known > new
                } else {
                    isOlder = false
                }
                if isOlder {
                    state.entries[key]?.earlier.append(Commit(number: number, isForeign: false))
                } else {
                    let entry = state.entries[key]?.followed(by: content, number: number)
                    state.entries[key] = entry ?? Entry(content: content, number: number)
                }
            }
        }
    }

    /// Notes that everybody who is told of saves has been told of one.
    func end() { state.withLock { $0.underWayCount -= 1 } }
}

extension EntityLayout {
    func ledgerKey(_ primaryKey: Int64) -> CommitLedger.Key {
        CommitLedger.Key(rootIndex: rootIndex, primaryKey: primaryKey)
    }
}

extension StoreChangeSet {
    /// What the ledger has of these changes once they are committed.
    func ledgerContents(
        touched: [NSManagedObject],
        _ model: ModelLayout
    ) -> [CommitLedger.Key: CommitLedger.Content] {
        var result: [CommitLedger.Key: CommitLedger.Content] = [:]
        // To-many relationships have no version of their own: of their commits none counts as the
        // older one.
        for object in touched {
            var key = object.layout.ledgerKey(object.primaryKey)
            key.isOfToMany = true
            result[key] = .version(0)
        }
        for change in toManyChanges {
            var key = model.entities[change.owner.entityIndex].ledgerKey(change.owner.primaryKey)
            key.isOfToMany = true
            result[key] = .version(0)
        }
        for row in inserts + updates.map(\.row) {
            let layout = model.entities[row.entityIndex]
            result[layout.ledgerKey(row.primaryKey)] = .version(row.version)
        }
        for delete in deletes {
            let layout = model.entities[delete.reference.entityIndex]
            result[layout.ledgerKey(delete.reference.primaryKey)] = .deleted
        }
        return result
    }
}
