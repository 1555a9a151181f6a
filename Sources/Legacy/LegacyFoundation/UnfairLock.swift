import Foundation
import Glibc

/// A lock of C code, `os_unfair_lock_s`.
public typealias os_unfair_lock = os_unfair_lock_s
/// Where a lock is.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

/// A lock; take it by its address, which must not change.
public struct os_unfair_lock_s {
    // With glibc a mutex that nobody has is all zeros, so the struct may still be moved to its
    // place before it is first taken.
    fileprivate var spin = pthread_mutex_t()
    /// Makes a lock that nobody has.
    public init() { pthread_mutex_init(&spin, nil) }
}

/// Takes a lock.
///
/// > Threading: Waits for the thread that has it; a thread that takes it twice waits forever.
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { pthread_mutex_lock(&lock.pointee.spin) }

/// Gives a lock back.
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
    pthread_mutex_unlock(&lock.pointee.spin)
}

/// Takes a lock if nobody has it.
///
/// - Returns: Whether the lock was taken.
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
    pthread_mutex_trylock(&lock.pointee.spin) == 0
}

/// A lock with the state that it guards.
///
/// > Threading: Any thread; the block of `withLock` must not call it again.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    // @unchecked: the state is touched under `box`'s lock only.
    private final class Box {
        let lock = NSLock()
        var state: State
        init(_ state: State) { self.state = state }
    }

    // Copies of the struct share the lock and its state.
    private let box: Box

    /// Makes a lock with its state.
    public init(initialState: State) { box = Box(initialState) }

    /// Makes a lock with a state that is not Sendable.
    public init(uncheckedState initialState: State) { box = Box(initialState) }

    /// Runs a block that has the lock.
    public func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
        box.lock.lock()
        defer { box.lock.unlock() }
        return try body(&box.state)
    }

    /// Runs a block that has the lock.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        try withLock(body)
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Makes a lock that guards what stands beside it.
    public init() { self.init(initialState: ()) }

    /// Runs a block that has the lock.
    public func withLock<R>(_ body: () throws -> R) rethrows -> R {
        try withLock { _ in try body() }
    }

    /// Takes the lock.
    public func lock() { box.lock.lock() }

    /// Gives the lock back.
    public func unlock() { box.lock.unlock() }
}
