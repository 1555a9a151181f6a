import Foundation

/// A value behind a lock; `Mutex` needs later systems than this package does.
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
