/// The clock that merges are timed with; tests have one that they set.
struct MergeClock: Sendable {
    /// The time that has gone by since some moment.
    let now: @Sendable () -> Duration

    /// The system's clock that goes on while the system sleeps.
    static let continuous: MergeClock = {
        let start = ContinuousClock.now
        return MergeClock { ContinuousClock.now - start }
    }()
}
