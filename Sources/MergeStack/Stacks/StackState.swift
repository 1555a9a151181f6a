/// Whether a stack is still in use.
///
/// > Threading: Any thread.
final class StackState: Sendable {
    private let invalidated = Guarded(false)

    var isInvalidated: Bool { invalidated.withLock { $0 } }

    func invalidate() { invalidated.withLock { $0 = true } }
}
