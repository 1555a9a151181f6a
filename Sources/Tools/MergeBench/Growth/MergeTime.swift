/// What merges cost the main thread.
struct MergeTime {
    /// The main thread's processor time, with all that belongs to a save: the turns of its queue, the
    /// notifications, the reports; in seconds.
    let processorSeconds: Double
    /// What the merges themselves took of the main queue, as their reports count it, in seconds.
    let mergeSeconds: Double

    /// While work is done on a stack that merges by notification, until main shows it.
    ///
    /// > Threading: Off the main queue, which must be served by the main thread.
    ///
    /// - Throws: What the work throws; ``BenchmarkError`` if nothing is merged.
    init(_ stack: any MeasuredStack, of work: () throws -> Void) throws {
        let before = stack.mergeCounts?.mainQueueSeconds ?? 0
        let begun = Clock.mainThreadSeconds
        try work()
        try stack.waitUntilShown()
        processorSeconds = Clock.mainThreadSeconds - begun
        guard let counts = stack.mergeCounts, counts.mainQueueSeconds > before else {
            throw BenchmarkError("The stack has merged nothing.")
        }
        mergeSeconds = counts.mainQueueSeconds - before
    }
}
