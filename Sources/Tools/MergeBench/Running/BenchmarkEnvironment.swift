import CSQLite
import Foundation

/// Where and when a benchmark ran.
public struct BenchmarkEnvironment: Codable, Hashable, Sendable {
    /// When it began.
    public var date: Date
    /// The processor's name, as the system tells it.
    public var processor: String
    /// How many of its cores the process can use.
    public var coreCount: Int
    /// The machine's memory, in bytes.
    public var memoryByteCount: UInt64
    /// The operating system.
    public var system: String
    /// The version of SQLite that bare SQLite is measured with.
    public var sqliteVersion: String
    /// Processes that wanted to run when it began, as a mean over a minute; nil if unknown. More
    /// than there are cores makes every figure worse.
    public var load: Double?
    /// The same when it ended, the benchmark's own threads included.
    public var loadAfter: Double?
    /// Which share of the processors others used meanwhile, from 0 to 1; nil if unknown.
    public var othersShare: Double?
    /// Whether the code was compiled without optimization.
    public var isDebugBuild: Bool

    /// This machine, now.
    static var current: BenchmarkEnvironment {
        let process = ProcessInfo.processInfo
        return BenchmarkEnvironment(
            // In whole seconds, as JSON keeps it, so that a report that is read back is equal.
            date: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded()),
            processor: processorName,
            coreCount: process.activeProcessorCount,
            memoryByteCount: process.physicalMemory,
            system: process.operatingSystemVersionString,
            sqliteVersion: String(cString: sqlite3_libversion()),
            load: load,
            isDebugBuild: isDebugBuild
        )
    }

    /// Measures something, and says where, with what the machine had to do meanwhile.
    static func around<Value>(
        _ measure: () throws -> Value
    ) rethrows -> (value: Value, environment: BenchmarkEnvironment) {
        // Before the measurement, whose own load would be seen.
        var environment = current
        let processorTime = ProcessorTime.now
        let value = try measure()
        environment.loadAfter = load
        environment.othersShare = processorTime.flatMap {
            ProcessorTime.now?.othersShare(since: $0)
        }
        return (value, environment)
    }

    /// The day on which it began, in UTC: `2026-11-22`.
    var day: String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        return formatter.string(from: date)
    }

    private static var processorName: String {
        guard let data = FileManager.default.contents(atPath: "/proc/cpuinfo") else {
            return "unknown"
        }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
    }

    /// Processes that want to run, as a mean over the last minute; nil if unknown.
    static var load: Double? {
        var mean = 0.0
        return getloadavg(&mean, 1) == 1 ? mean : nil
    }

    private static var isDebugBuild: Bool {
        var isDebug = false
        // An assertion's condition is evaluated in debug builds only.
        assert(
            {
                isDebug = true; return true
            }()
        )
        return isDebug
    }
}
