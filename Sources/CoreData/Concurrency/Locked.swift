import Foundation

/// A value behind a lock, for values that are not Sendable themselves.
///
/// > Threading: Any thread. Never call out to client code inside `withLock`, and don't let what
///   may be the last reference to a row or an object go there.
final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // @unchecked: `value` is touched only inside `lock`.

    /// A POSIX mutex and not the library's `Mutex`, which ThreadSanitizer does not see on Linux:
    /// it would report every use as a race. Uncontended, they differ by some nanoseconds.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    /// Memory of its own: the lock rules out overlapping accesses, and a stored property would
    /// have each of them checked at run time as well.
    private let value: UnsafeMutablePointer<Value>

    init(_ value: consuming Value) {
        // In memory of its own: a mutex goes by its address, and `&` of a stored property may pass
        // the address of a copy.
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    @inline(__always) func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }

    /// The same, unless somebody else has the lock: nil then.
    @inline(__always) func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
