import Foundation
import Threads

/// What did not happen within ``patience``, and will not.
public struct NeverHappened: Error, CustomStringConvertible {
    /// A sentence.
    public let description: String
}

/// How long tests wait for what should come soon, so that they fail and do not hang. Some of it comes
/// by the main queue, which other tests of the process may keep for many minutes on a slow machine.
/// `TEST_PATIENCE` in the environment sets it, in seconds: where a test is expected to fail.
public let patience: TimeInterval =
    ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap(TimeInterval.init) ?? 1_200

/// Waits until a condition holds.
///
/// - Throws: ``NeverHappened`` if it does not within ``patience``.
public func eventually(
    _ what: String,
    _ condition: @Sendable () -> Bool
) async throws {
    let limit = Date(timeIntervalSinceNow: patience)
    while !condition() {
        guard limit.timeIntervalSinceNow > 0 else {
            throw NeverHappened(description: "\(what): not within \(patience) s")
        }
        // Not merely yielding: one that waits would take a processor, in a child process also from
        // the parent that it waits for.
        try await Task.sleep(nanoseconds: 2_000_000)
    }
}

/// Waits for what a completion block is given. A second call of the block stops the program.
///
/// - Throws: ``NeverHappened`` if it is not called within ``patience``.
public func completion<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    of start: (_ completion: @escaping @Sendable (Value) -> Void) -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let awaited = Awaited(continuation)
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { awaited.giveUp() }
        start { awaited.finish($0) }
    }
}

/// A continuation that is resumed by a completion block, or when that is awaited no longer.
private final class Awaited<Value: Sendable>: Sendable {
    private enum State {
        case waiting(CheckedContinuation<Value, any Error>)
        case finished, givenUp
    }
    private let state: Guarded<State>

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        state = Guarded(.waiting(continuation))
    }

    func finish(_ value: Value) {
        switch exchange(.finished) {
        case .waiting(let continuation): continuation.resume(returning: value)
        case .finished: fatalError("A completion block was called twice.")
        case .givenUp: break
        }
    }

    func giveUp() {
        guard case .waiting(let continuation) = exchange(.givenUp) else { return }
        continuation.resume(
            throwing: NeverHappened(description: "The completion block was not called.")
        )
    }

    /// The state before; what was finished or given up stays so.
    private func exchange(_ new: State) -> State {
        state.withLock { state in
            let old = state
            if case .waiting = old { state = new }
            return old
        }
    }
}
