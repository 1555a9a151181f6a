import Foundation
import Threads

/// A progress object that follows the merges of queued saves.
struct FollowedMerges: Sendable {
    /// The last save that it is about.
    let number: Int
    private let progress: UncheckedProgress

    init(number: Int, progress: Progress) {
        self.number = number
        self.progress = UncheckedProgress(progress: progress)
    }

    func advance(by count: Int) {
        guard let progress = progress.progress else { return }
        // A queued save may absorb others and grow; the last unit is kept for the end.
        let limit = progress.totalUnitCount - 1
        progress.completedUnitCount = min(progress.completedUnitCount + Int64(count), limit)
    }

    func end() {
        guard let progress = progress.progress else { return }
        progress.completedUnitCount = progress.totalUnitCount
    }
}

/// Telling how far merging has come.
extension MergeQueue {
    /// Follows the merges of all saves up to a number.
    func progress(upTo number: Int) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        let merges = FollowedMerges(number: number, progress: progress)
        let isSettled = state.withLock { state in
            let saves = state.waiting.filter { $0.firstNumber <= number }
            let count = saves.reduce(0) { $0 + $1.remaining.count }
            progress.totalUnitCount = Int64(max(count, 1))
            // Under the lock in which the saves were counted: a merge that ended in between would
            // never be reported to this progress.
            if !saves.isEmpty { state.followed.append(merges) }
            return saves.isEmpty
        }
        if isSettled { merges.end() }
        return progress
    }

    /// Counts merged objects of a save. Outside of the lock, since observers may be told.
    func reportProgress(of save: PostedSave, count: Int) {
        let (advanced, ended) = state.withLock { state in
            let end = state.settledEnd
            let ended = state.followed.filter { $0.number < end }
            state.followed.removeAll { $0.number < end }
            return (state.followed.filter { save.firstNumber <= $0.number }, ended)
        }
        for merges in advanced { merges.advance(by: count) }
        for merges in ended { merges.end() }
    }
}
