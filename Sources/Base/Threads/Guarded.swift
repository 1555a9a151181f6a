import Foundation

/// A value behind a lock; `Mutex` needs later systems than this package does.
///
/// A function is kept in a structure of its own: as a generic value it would be wrapped once more each
/// time that `withLock` hands it out, until calling it overflows the stack.
///
/// > Threading: Any thread. Don't call out to client code inside `withLock`.
package final class Guarded<Value>: @unchecked Sendable {
    // @unchecked: `value` is touched only while `lock` is held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    @inline(__always) package func withLock<Result>(
        _ body: (inout Value) throws -> Result
    ) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
