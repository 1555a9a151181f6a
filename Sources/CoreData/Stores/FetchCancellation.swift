import Foundation

/// Ends a fetch from outside, and hears how far it is.
///
/// > Threading: Any thread.
final class FetchCancellation: Sendable {
    private struct State {
        var isCancelled = false
        /// Ends what the store is doing; there while it does.
        var interrupt: (() -> Void)?
    }
    private let state = Locked(State())
    private let report: @Sendable (Int) -> Void
    /// Rows are reported in steps, since a report costs more than a row.
    static let step = 256

    /// - Parameter report: Takes the number of rows read so far.
    init(report: @escaping @Sendable (Int) -> Void) { self.report = report }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the fetch. It throws `NSUserCancelledError`.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Inside the lock: `running` must not hand the connection on meanwhile.
            state.interrupt?()
        }
    }

    /// Runs a statement that `interrupt` ends.
    func running<Result>(
        interrupt: @escaping () -> Void,
        _ body: () throws -> Result
    ) throws -> Result {
        try state.withLock { state in
            // Checked and set under one lock: a cancellation in between would find nothing to
            // interrupt.
            if state.isCancelled { throw CocoaError(.userCancelled) }
            state.interrupt = interrupt
        }
        // The connection goes to another reader next, which a late cancellation must not end.
        defer { state.withLock { $0.interrupt = nil } }
        do {
            return try body()
        } catch {
            // A store reports that it was interrupted by an error of its own.
            throw isCancelled ? CocoaError(.userCancelled) : error
        }
    }

    /// Takes the number of rows read so far.
    func didRead(_ count: Int) { report(count) }
}
