#if PostgreSQL
import Dispatch

/// Has saves that come while another one is under way become one: a transaction of the replica and one
/// on the server, whose costs, and the wait for its disk, they share.
///
/// A group is as good as its saves one after the other, for they touch different rows. If anything is
/// wrong with it, nothing of it is saved, and each save is made alone, with errors of its own.
///
/// > Threading: Any thread. Whoever comes while nobody writes leads; the others wait for what the
///   leader makes of their saves, as they would for the lock of the replica's writer.
final class SaveGroups: Sendable {
    fileprivate enum Answer {
        /// The save was made, or has thrown.
        case made(Result<Void, any Error>)
        case makeAlone
        case lead
    }
    final class Member: @unchecked Sendable {
        // @unchecked: the answer is set before the semaphore tells.

        let changes: StoreChangeSet
        private let isAnswered = DispatchSemaphore(value: 0)
        private var current = Answer.makeAlone

        init(_ changes: StoreChangeSet) { self.changes = changes }

        fileprivate func answer(_ answer: Answer) {
            current = answer
            isAnswered.signal()
        }

        fileprivate func wait() -> Answer {
            isAnswered.wait()
            return current
        }
    }
    struct State {
        var isLed = false
        /// In the order in which they came.
        var waiting: [Member] = []
    }
    let state = Locked(State())

    /// How many rows a group has at most, the first save's not counted: what fails is made again.
    private static let maximumRowCount = 1_000

    /// Makes a save, alone or with others.
    ///
    /// - Parameter together: Throws `PostgreSQLOutcomeUnknownError` if the saves may count, and any
    ///   other error if they do not.
    func run(
        _ changes: StoreChangeSet,
        alone: () throws -> Void,
        together: ([StoreChangeSet]) throws -> Void
    ) throws {
        guard changes.canJoinOthers else { return try alone() }
        let member = Member(changes)
        let leads = state.withLock { state in
            if state.isLed { state.waiting.append(member) }
            defer { state.isLed = true }
            return !state.isLed
        }
        if !leads {
            switch member.wait() {
            case .made(let outcome): return try outcome.get()
            case .makeAlone: return try alone()
            case .lead: break
            }
        }
        defer { passOn() }
        let others = takeOthers(changes)
        guard !others.isEmpty else { return try alone() }
        do {
            try together([changes] + others.map(\.changes))
        } catch let error as CocoaError where error.isSaveOutcomeUnknown {
            for other in others { other.answer(.made(.failure(error))) }
            throw error
        } catch {
            for other in others { other.answer(.makeAlone) }
            return try alone()
        }
        for other in others { other.answer(.made(.success(()))) }
    }

    /// Those of the waiting saves, from the first one on, that can be one with a save.
    private func takeOthers(_ changes: StoreChangeSet) -> [Member] {
        state.withLock { state in
            var references = changes.references, rowCount = 0
            let end = state.waiting.firstIndex { member in
                let own = member.changes.references
                rowCount += own.count
                guard rowCount <= Self.maximumRowCount, references.isDisjoint(with: own) else {
                    return true
                }
                references.formUnion(own)
                return false
            }
            let others = state.waiting.prefix(upTo: end ?? state.waiting.endIndex)
            state.waiting.removeFirst(others.count)
            return Array(others)
        }
    }

    private func passOn() {
        let next = state.withLock { state -> Member? in
            guard !state.waiting.isEmpty else {
                state.isLed = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.answer(.lead)
    }
}

extension StoreChangeSet {
    /// Whether the save may be one with others. Not if it changes relationships that others' rows
    /// have, too, or has rows come back, whose versions are asked for first.
    fileprivate var canJoinOthers: Bool {
        isWholeSave && !isCopy && !isEmpty && toManyChanges.isEmpty && reinserts.isEmpty
    }

    /// The rows that the save is about.
    var references: Set<RowReference> {
        var references = Set(inserts.lazy.map(\.reference))
        references.formUnion(updates.lazy.map(\.row.reference))
        references.formUnion(deletes.lazy.map(\.reference))
        return references
    }

    /// Saves that are about different rows, as one.
    init(joining saves: [StoreChangeSet]) {
        self = saves[0]
        for save in saves.dropFirst() {
            inserts += save.inserts
            updates += save.updates
            deletes += save.deletes
        }
    }
}
#endif
