extension Publisher where Failure == Never {
    /// The values, as they come from the first request on.
    public var values: AsyncStream<Output> {
        AsyncStream { continuation in
            let subscription = sink { _ in
                continuation.finish()
            } receiveValue: {
                nonisolated(unsafe) let value = $0
                continuation.yield(value)
            }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }
}
