import Synchronization

/// A value behind a lock, for values that are not Sendable themselves.
///
/// > Threading: Any thread. Never call out to client code inside `withLock`, and don't let what
///   may be the last reference to a row or an object go there.
final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // @unchecked: `value` is touched only inside `lock`.
    private let lock = Mutex(())
    /// Memory of its own: the lock rules out overlapping accesses, and a stored property would
    /// have each of them checked at run time as well.
    private let value: UnsafeMutablePointer<Value>

    init(_ value: consuming Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    @inline(__always) func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock._unsafeLock()
        defer { lock._unsafeUnlock() }
        return try body(&value.pointee)
    }
}
