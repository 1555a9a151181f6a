import Foundation

/// R3: a process is killed while it saves.
struct KillRow: TortureRow {
    let id = "R3"
    let name = "kill"
    let title = "A process is killed"
    let unit = "cycles"
    let changeCount = 200
    let releaseCount = 5_000
    let control = "A program that tells of a save before it is made"

    func plan(_ options: Options) throws -> Plan {
        let count = options.count == .max ? releaseCount : options.count ?? releaseCount
        return Plan(points: (0..<count).map { "\($0)" }, expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        Plan(points: (0..<40).map { "\($0)" }, expectedCount: 40)
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        KillRunner(seed: options.seed, in: folder, isControl: options.isControl)
    }
}

/// Kills processes at random times, on a new store for each ten of them.
///
/// The times are the seed's; what they meet is the machine's. So a point that is run again is another
/// try of the same kind, with ten cycles before it where it needs them.
private final class KillRunner: PointRunner {
    private static let storeSpan = 10

    private let seed: UInt64
    private let folder: URL
    private let isControl: Bool
    private var store = -1
    private var acknowledged: [Int: Int] = [:]

    init(seed: UInt64, in folder: URL, isControl: Bool) {
        self.seed = seed
        self.folder = folder
        self.isControl = isControl
    }

    func run(_ point: String) throws -> PointResult? {
        guard let number = Int(point) else { throw UsageError(text: "there is no cycle \(point)") }
        var numbers = SeededNumbers(seed, UInt64(number))
        let url = try place(number)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["crash-child", url.path] + (isControl ? ["--control"] : [])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // The writing end is the child's alone, so that the pipe ends with it.
        try pipe.fileHandleForWriting.close()
        // A quarter of the cycles may end while the store is opened, or made.
        var text = Data()
        if numbers.number(below: 4) != 0 {
            text = try pipe.fileHandleForReading.read(upToCount: 6) ?? Data()
        }
        usleep(UInt32(numbers.number(below: 40_000)))
        kill(process.processIdentifier, SIGKILL)
        text += try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return judge(url, String(decoding: text, as: UTF8.self))
    }

    private func place(_ number: Int) throws -> URL {
        if store != number / Self.storeSpan {
            store = number / Self.storeSpan
            for old in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(old))
            }
            acknowledged = Dictionary(
                uniqueKeysWithValues: (0..<CrashChild.writers).map { ($0, 0) }
            )
        }
        return folder.appendingPathComponent("Store.sqlite")
    }

    private func judge(_ url: URL, _ text: String) -> PointResult {
        var result = PointResult()
        // What is after the last line's end was cut off in the middle of a write.
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.first == "error" { result.violations.append("the program says: \(line)") }
            guard parts.count == 2, let writer = Int(parts[0]), let save = Int(parts[1]) else {
                continue
            }
            result.figures["acknowledged saves", default: 0] += 1
            acknowledged[writer] = save
        }
        let check = LedgerCheck(url, acknowledged: acknowledged)
        result.violations += check.violations
        // A save that nobody was told of is there for good, too.
        acknowledged.merge(check.lastSaves) { max($0, $1) }
        if !check.violations.isEmpty { store = -1 }
        return result
    }
}
