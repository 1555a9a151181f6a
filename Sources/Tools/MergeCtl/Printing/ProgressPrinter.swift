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
    private var lastPrint = Date.distantPast
    private var isFinished = false

    init(label: String, isInteractive: Bool = Terminal.isInteractive) {
        self.label = label
        self.isInteractive = isInteractive
    }

    /// Shows a state, unless one was shown just before.
    func show(fraction: Double, detail: String) {
        lock.lock()
        defer { lock.unlock() }
        let interval = isInteractive ? 0.1 : 1.0
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
        let width = max(10, min(40, Terminal.columnCount - label.count - detail.count - 12))
        let filled = Int((Double(width) * clamped).rounded(.down))
        let bar =
            String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        // Back to the line's beginning, and clear what was longer before.
        Terminal.write("\r\(label) \(bar) \(percent) \(detail)\u{1B}[K")
    }
}
