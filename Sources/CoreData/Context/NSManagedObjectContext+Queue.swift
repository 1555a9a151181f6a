import Dispatch

/// Where a context's work runs.
extension NSManagedObjectContext {
    /// The queue of a context of some type; nil for the confinement type.
    static func makeQueue(_ type: NSManagedObjectContextConcurrencyType) -> DispatchQueue? {
        switch type.rawValue {
        case NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue:
            ThreadPlaces.main
        case NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue:
            DispatchQueue(label: "NSManagedObjectContext")
        default: nil
        }
    }

    /// `perform(_:)`.
    func basePerform(_ block: @escaping @Sendable () -> Void) {
        // The block holds the context: whoever has asked may let go of it at once.
        requireQueue().async { [self] in
            ThreadPlaces.inside(requireQueue()) {
                CurrentContext.inside(self, block)
                endEvent()
            }
        }
    }

    /// `performAndWait(_:)` for blocks that the compiler need not take for concurrent.
    func basePerformAndWait<T>(_ block: () throws -> T) rethrows -> T {
        // The event does not end here, for the caller goes on with it: Apple documents that of
        // `perform` only.
        try ThreadPlaces.sync(on: requireQueue()) { try CurrentContext.inside(self, block) }
    }

    /// Runs a block on the context's queue and returns its result.
    ///
    /// - Parameter schedule: `.immediate` runs the block at once, if the caller is on the queue.
    @_disfavoredOverload
    @preconcurrency
    public nonisolated func perform<T, Failure: Error>(
        schedule: ScheduledTaskType = .immediate,
        _ block: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let queue = requireQueue()
        if schedule == .immediate, ThreadPlaces.isInside(queue) {
            return try CurrentContext.inside(self, block)
        }
        // Handed from the queue to the caller: the queue is done with it when the caller gets it.
        nonisolated(unsafe) let outcome = await withCheckedContinuation { continuation in
            queue.async {
                nonisolated(unsafe) let result = ThreadPlaces.inside(queue) {
                    let result = Result { () throws(Failure) -> T in
                        try CurrentContext.inside(self, block)
                    }
                    self.endEvent()
                    return result
                }
                continuation.resume(returning: result)
            }
        }
        return try outcome.get()
    }

    private func requireQueue() -> DispatchQueue {
        guard let queue else {
            fatalError(
                "Can only use perform or performAndWait on a context that was created with a "
                    + "queue; this one is of confinement type."
            )
        }
        return queue
    }
}

extension BlockPerforming where Self: NSManagedObjectContext {
    /// Runs a block on the context's queue, waits for it and returns its result. May be nested.
    ///
    /// > Threading: Any thread. On the context's queue, or inside a block that the queue waits
    /// > for, the block runs at once.
    @preconcurrency
    public nonisolated func performAndWait<T>(_ block: @Sendable () throws -> T) rethrows -> T {
        try basePerformAndWait(block)
    }
}
