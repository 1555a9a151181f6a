import Foundation

/// The processor time that a machine has spent since it started, in ticks of its clock.
struct ProcessorTime: Hashable, Sendable {
    /// Of all cores, idle time included.
    var whole: Double
    /// What was spent on work, and what the machine's host gave to others meanwhile.
    var busy: Double
    /// What of it this process spent, and its children that have ended.
    var own: Double
    /// What of it the machine's host gave to others, where the machine is a guest.
    var stolen: Double

    /// Up to now; nil where the system has no `/proc`.
    static var now: ProcessorTime? {
        guard let machine = FileManager.default.contents(atPath: "/proc/stat"),
            let process = FileManager.default.contents(atPath: "/proc/self/stat")
        else { return nil }
        return ProcessorTime(
            machine: String(decoding: machine, as: UTF8.self),
            process: String(decoding: process, as: UTF8.self)
        )
    }

    init(whole: Double, busy: Double, own: Double, stolen: Double) {
        self.whole = whole
        self.busy = busy
        self.own = own
        self.stolen = stolen
    }

    /// Reads the texts of `/proc/stat` and `/proc/PID/stat`, see proc(5); nil if they are not that.
    init?(machine: String, process: String) {
        guard let line = machine.split(separator: "\n").first, line.hasPrefix("cpu ") else {
            return nil
        }
        // user, nice, system, idle, waiting for the disk, two kinds of interrupts, stolen; the
        // guests behind them are part of "user".
        let spent = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        // The name stands in parentheses and can hold spaces; 11 fields behind it are user and
        // system time, then those of children.
        let fields = process[(process.lastIndex(of: ")") ?? process.startIndex)...]
            .split(separator: " ").dropFirst()
        let own = fields.dropFirst(11).prefix(4).compactMap { Double($0) }
        guard spent.count == 8, own.count == 4 else { return nil }
        whole = spent.reduce(0, +)
        busy = whole - spent[3] - spent[4]
        self.own = own.reduce(0, +)
        stolen = spent[7]
    }

    /// Which share of the machine others have used since an earlier time, from 0 to 1; nil if no
    /// time has passed.
    func othersShare(since earlier: ProcessorTime) -> Double? {
        let passed = whole - earlier.whole
        guard passed > 0 else { return nil }
        return min(max((busy - earlier.busy - (own - earlier.own)) / passed, 0), 1)
    }

    /// Which share of the machine its host has given to others since an earlier time, from 0 to 1; nil if
    /// no time has passed.
    func hostShare(since earlier: ProcessorTime) -> Double? {
        let passed = whole - earlier.whole
        guard passed > 0 else { return nil }
        return min(max((stolen - earlier.stolen) / passed, 0), 1)
    }
}
