import Foundation

/// A value behind a lock.
///
/// @unchecked: guarded by the lock.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var guarded: Value

    init(_ value: Value) { guarded = value }

    /// The value as it is now.
    var value: Value { lock.withLock { guarded } }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&guarded) }
    }
}
