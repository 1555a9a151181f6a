import Dispatch
import Foundation
import Threads

/// Ctrl-C while something is under way that can end in good order. A second one ends the tool.
final class Interruption: @unchecked Sendable {
    // @unchecked: constant, and dispatch sources may be used from any thread.
    private let source: any DispatchSourceSignal
    private let flag: Guarded<Bool>

    /// - Parameter handler: Called when the user interrupts, on a thread of its own.
    init(_ handler: @escaping @Sendable () -> Void) {
        // Ignored by the process, and seen by the source.
        signal(SIGINT, SIG_IGN)
        let flag = Guarded(false)
        self.flag = flag
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue.global())
        source.setEventHandler {
            let isSecond = flag.withLock { raised in
                defer { raised = true }
                return raised
            }
            if isSecond { exit(130) }
            handler()
        }
        source.resume()
    }

    /// Whether the user has interrupted.
    var hasHappened: Bool { flag.withLock { $0 } }

    /// Lets Ctrl-C end the tool again.
    func end() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}
