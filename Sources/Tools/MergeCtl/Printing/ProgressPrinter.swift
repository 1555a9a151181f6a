import Foundation

/// Shows how far something is: a bar that is drawn over on a terminal, a line now and then
/// elsewhere.
///
/// > Threading: Any thread.
final class ProgressPrinter: @unchecked Sendable {
    // @unchecked: all state is touched only while `lock` is held.
    private let lock = NSLock()
    private let label: String
    private let isInteractive: Bool
    private let quietInterval: TimeInterval
    private var lastPrint = Date.distantPast
    private var isFinished = false

    /// - Parameter quietInterval: How many seconds lie between two lines where there is no
    ///   terminal.
    init(
        label: String,
        isInteractive: Bool = Terminal.isInteractive,
        quietInterval: TimeInterval = 1
    ) {
        self.label = label
        self.isInteractive = isInteractive
        self.quietInterval = quietInterval
    }

    /// Shows a state, unless one was shown just before.
    func show(fraction: Double, detail: String) {
        lock.lock()
        defer { lock.unlock() }
        let interval = isInteractive ? 0.1 : quietInterval
        // The end has a line of its own.
        if !isInteractive, fraction >= 1 { return }
        guard !isFinished, -lastPrint.timeIntervalSinceNow >= interval else { return }
        lastPrint = Date()
        draw(fraction: fraction, detail: detail)
    }

    /// Shows the last state, and ends the line.
    func finish(detail: String) {
        lock.lock()
        defer { lock.unlock() }
        guard !isFinished else { return }
        isFinished = true
        draw(fraction: 1, detail: detail)
        if isInteractive { Terminal.write("\n") }
    }

    /// Ends the line where it is: the rest is not going to be done.
    func end() {
        lock.lock()
        defer { lock.unlock() }
        guard !isFinished else { return }
        isFinished = true
        if isInteractive { Terminal.write("\n") }
    }

    /// Prints something else between two states.
    func interrupt(_ print: () -> Void) {
        lock.lock()
        defer { lock.unlock() }
        if isInteractive { Terminal.write("\r\u{1B}[K") }
        print()
    }

    private func draw(fraction: Double, detail: String) {
        let clamped = min(max(fraction, 0), 1)
        let percent = String(format: "%3d %%", Int((clamped * 100).rounded(.down)))
        guard isInteractive else {
            Terminal.print("\(label): \(percent.trimmingCharacters(in: .whitespaces)), \(detail)")
            return
        }
        let columns = Terminal.columnCount
        let width = max(10, min(40, columns - label.count - detail.count - 12))
        let filled = Int((Double(width) * clamped).rounded(.down))
        let bar =
            String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        // What went on in a second line could not be drawn over.
        let line = "\(label) \(bar) \(percent) \(detail)".prefix(max(columns - 1, 1))
        // Back to the line's beginning, and clear what was longer before.
        Terminal.write("\r\(line)\u{1B}[K")
    }
}
