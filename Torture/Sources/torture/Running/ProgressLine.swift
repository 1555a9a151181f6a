import Foundation

/// Says how far a run is: on a terminal in one line that changes, in a pipe every half minute.
final class ProgressLine {
    private let title: String
    private let unit: String
    private let total: Int
    private let already: Int
    private let start = Date()
    private let isTerminal = isatty(1) == 1
    private var last = Date.distantPast

    init(title: String, unit: String, total: Int, already: Int) {
        self.title = title
        self.unit = unit
        self.total = total
        self.already = already
        last = isTerminal ? .distantPast : Date()
    }

    /// - Parameter count: How many are done, counted only when something is said.
    func show(at count: @autoclosure () throws -> Int) rethrows {
        let now = Date()
        guard now.timeIntervalSince(last) > (isTerminal ? 0.5 : 30) else { return }
        last = now
        let done = try count()
        let rate = Double(done - already) / max(now.timeIntervalSince(start), 0.001)
        // What takes seconds each is counted by the minute.
        let speed = rate < 2 ? "\(Int(rate * 60)) a minute" : "\(Int(rate)) a second"
        var text = "\(title): \(done) of \(max(total, done)) \(unit), \(speed)"
        if rate > 0, total > done {
            text += ", \(Self.duration(Double(total - done) / rate)) left"
        }
        say(isTerminal ? "\r\u{1b}[K\(text)" : text + "\n")
    }

    func end() { if isTerminal { say("\r\u{1b}[K") } }

    private static func duration(_ seconds: Double) -> String {
        seconds < 100 ? "\(Int(seconds)) s" : "\(Int(seconds / 60)) min"
    }

    private func say(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
