import Dispatch

/// When a store is asked whether others have committed something, after its file was written.
///
/// A chain of questions begins with a write, at growing intervals.
struct QuestionTimes {
    /// From a coalesced burst of writes up to a disk that takes its time for an `fsync`.
    private static let delays: [DispatchTimeInterval] = [
        10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240,
    ].map { .milliseconds($0) }

    /// The number of the chain under way: one that another has replaced asks no more.
    private(set) var chain = 0
    /// The next interval to wait; nil while nothing is to be asked.
    private var attempt: Int?
    /// When the chain under way asks next.
    private var nextQuestion = DispatchTime.now()

    /// Begins anew with the short intervals: the commit is close behind its writes.
    ///
    /// - Returns: The number of the chain to begin; nil if the one under way goes on. It does if it
    ///   asks as soon: were it replaced, writes that follow each other closely would put off the
    ///   question for as long as they come.
    mutating func fileWasWritten(at now: DispatchTime) -> Int? {
        let isAskingSoon = attempt != nil && nextQuestion <= now + Self.delays[0]
        attempt = 0
        if isAskingSoon { return nil }
        chain += 1
        return chain
    }

    /// When a chain asks next; nil if it has been replaced, or has asked for long enough.
    mutating func next(of chain: Int, at now: DispatchTime) -> DispatchTime? {
        guard chain == self.chain else { return nil }
        guard let attempt, attempt < Self.delays.count else {
            self.attempt = nil
            return nil
        }
        self.attempt = attempt + 1
        nextQuestion = now + Self.delays[attempt]
        return nextQuestion
    }
}
