import Foundation

/// R17: contexts and objects are used off their queue.
struct QueueRow: TortureRow {
    let id = "R17"
    let name = "queues"
    let title = "Contexts are used off their queue"
    let unit = "calls"
    var changeCount: Int { QueueCall.all.count }
    var releaseCount: Int { QueueCall.all.count }
    let control =
        "A program that makes the calls on the queue, and one that can't switch the check off"

    func plan(_ options: Options) throws -> Plan {
        let names = QueueCall.all.map(\.name).prefix(options.count ?? .max)
        return Plan(points: Array(names), expectedCount: names.count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: ["save()", "value(forKey:)", "hasChanges"], expectedCount: 3)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        let texts = outcome.violations.map(\.text)
        return texts.contains { $0.hasPrefix("it does not stop") }
            && texts.contains { $0.hasPrefix("without the flag") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        QueueRunner(isControl: options.isControl)
    }
}

/// Makes each call in three processes: off the queue, off the queue with nothing watching, and on it.
private final class QueueRunner: PointRunner {
    /// What Apple's framework stops with, too.
    private static let text = "__Multithreading_Violation_AllThatIsLeftToUsIsHonor__"

    private let isControl: Bool

    init(isControl: Bool) { self.isControl = isControl }

    func run(_ point: String) throws -> PointResult? {
        guard let call = QueueCall.named(point) else {
            throw UsageError(text: "there is no call \(point)")
        }
        var result = PointResult()
        let watched = try start(point, isOnQueue: isControl, isWatched: true)
        if watched.worked || !watched.output.contains(Self.text) {
            result.violations.append("it does not stop off the queue: \(watched.summary)")
        } else if !watched.output.contains(call.told) {
            result.violations.append("its text does not name \(call.told): \(watched.summary)")
        }
        let unwatched = try start(point, isOnQueue: false, isWatched: isControl)
        if !unwatched.worked {
            result.violations.append("without the flag it stops: \(unwatched.summary)")
        }
        let inside = try start(point, isOnQueue: true, isWatched: true)
        if !inside.worked { result.violations.append("on the queue it stops: \(inside.summary)") }
        return result
    }

    private struct End {
        let worked: Bool
        let output: String

        var summary: String {
            let lines = output.split(separator: "\n")
            return worked ? "the call returns" : String((lines.first ?? "no word").prefix(240))
        }
    }

    private func start(_ point: String, isOnQueue: Bool, isWatched: Bool) throws -> End {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["queue-child", point] + (isOnQueue ? ["--on-queue"] : [])
        var environment = ProcessInfo.processInfo.environment
        environment["COREDATA_CONCURRENCY_DEBUG"] = isWatched ? "1" : "0"
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        try pipe.fileHandleForWriting.close()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let worked = process.terminationReason == .exit && process.terminationStatus == 0
        return End(worked: worked, output: String(decoding: output, as: UTF8.self))
    }
}
