import Synchronization

/// A value behind a lock, for values that are not Sendable themselves.
///
/// > Threading: Any thread. Never call out to client code inside `withLock`, and don't let what
///   may be the last reference to a row or an object go there.
final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // @unchecked: `value` is touched only inside `lock`.
    private let lock = Mutex(())
    private var value: Value

    init(_ value: consuming Value) { self.value = value }

    @inline(__always) func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock._unsafeLock()
        defer { lock._unsafeUnlock() }
        return try body(&value)
    }
}
