import Foundation
import RandomRuns

// `make random`: runs sequences of each kind of random test, and shrinks what fails.
//
//     random-runs [--family <name>] [--seed <first>] [--sequences <count>] [--failures <most>]
//
// Sequences run in a process of their own, since what they find may stop it. `--worker` is that
// process; `--steps` are the steps of one sequence that it takes.

/// Prints a line at once, whoever reads it.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

struct Arguments {
    private let list = CommandLine.arguments

    func value(_ name: String) -> String? {
        guard let index = list.firstIndex(of: "--" + name), index + 1 < list.count else {
            return nil
        }
        return list[index + 1]
    }

    func has(_ name: String) -> Bool { list.contains("--" + name) }
}

/// Runs sequences in this process, and notes which one runs.
struct Worker {
    let family: any RandomFamily.Type
    let progress: URL

    /// Exits with 1 at the first failure.
    func run(_ first: UInt64, _ count: UInt64) throws {
        let file = open(progress.path, O_WRONLY | O_CREAT, 0o600)
        for seed in first..<(first + count) {
            var current = seed
            pwrite(file, &current, MemoryLayout<UInt64>.size, 0)
            try check(RandomSequence(seed: seed, of: family), isLoud: false)
        }
    }

    func check(_ sequence: RandomSequence, isLoud: Bool) throws {
        do {
            try sequence.run(family, isLoud: isLoud)
        } catch {
            if isLoud { say("  \(error)") }
            exit(1)
        }
    }
}

/// Has workers run sequences, and looks into those that fail.
struct Supervisor {
    let family: any RandomFamily.Type
    let folder: URL
    let failureLimit: Int

    /// - Returns: How many sequences failed.
    func run(_ first: UInt64, _ count: UInt64) throws -> Int {
        let start = Date()
        var next = first, failures = 0
        while next < first + count {
            let status = try work([
                "--seed", "\(next)", "--sequences", "\(first + count - next)",
            ])
            if status == 0 { break }
            let seed = try lastSeed()
            failures += 1
            say("\(family.name): seed \(seed) fails")
            try shrink(RandomSequence(seed: seed, of: family))
            if failures >= failureLimit {
                say("\(family.name): stopped after \(seed - first + 1) sequences")
                return failures
            }
            next = seed + 1
        }
        let time = Date().timeIntervalSince(start)
        say(
            "\(family.name): seeds \(first) to \(first + count - 1), \(count) sequences, "
                + "\(failures) failed, \(Int(Double(count) / max(time, 0.001))) a second"
        )
        return failures
    }

    private func lastSeed() throws -> UInt64 {
        let data = try Data(contentsOf: progress)
        return data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    private var progress: URL { folder.appendingPathComponent("seed-\(family.name)") }

    private func work(_ more: [String], prints: Bool = false) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments =
            ["--worker", "--family", family.name, "--progress", progress.path] + more
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["COREDATA_CONSISTENCY_CHECK"] = "1"
        environment["COREDATA_CONCURRENCY_DEBUG"] = "1"
        environment["TMPDIR"] = folder.path
        process.environment = environment
        if !prints {
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 2
    }

    /// Drops steps as long as the sequence still fails, and shows what is left.
    private func shrink(_ sequence: RandomSequence) throws {
        func fails(_ steps: [Int]) throws -> Bool {
            try work(["--seed", "\(sequence.seed)", "--steps", text(steps)]) != 0
        }
        var steps = sequence.steps
        guard try fails(steps) else {
            say(
                "  it passes by itself: what failed depends on threads, or on sequences before it"
            )
            return
        }
        // The end first: what comes after the failure is of no use.
        var low = 0, high = steps.count
        while low < high {
            let middle = (low + high) / 2
            if try fails(Array(steps.prefix(middle))) { high = middle } else { low = middle + 1 }
        }
        if try fails(Array(steps.prefix(high))) { steps = Array(steps.prefix(high)) }
        var size = max(1, steps.count / 2)
        while true {
            var index = 0
            while index < steps.count {
                var fewer = steps
                fewer.removeSubrange(index..<min(index + size, steps.count))
                if try fails(fewer) { steps = fewer } else { index += size }
            }
            if size == 1 { break }
            size /= 2
        }
        say("  the steps \(steps) of it suffice:")
        _ = try work(
            ["--seed", "\(sequence.seed)", "--steps", text(steps), "--loud"],
            prints: true
        )
    }

    private func text(_ steps: [Int]) -> String { steps.map(String.init).joined(separator: ",") }
}

let arguments = Arguments()
let seed = arguments.value("seed").flatMap { UInt64($0) } ?? 1
let count = arguments.value("sequences").flatMap { UInt64($0) } ?? 1_000
let families: [any RandomFamily.Type]
if let name = arguments.value("family") {
    guard let family = RandomFamilies.named(name) else {
        say("There is no \(name); there are \(RandomFamilies.all.map { $0.name }).")
        exit(64)
    }
    families = [family]
} else {
    families = RandomFamilies.all
}
if arguments.has("worker") {
    let progress = arguments.value("progress") ?? "/dev/null"
    let worker = Worker(family: families[0], progress: URL(fileURLWithPath: progress))
    if let steps = arguments.value("steps") {
        let numbers = steps.split(separator: ",").compactMap { Int($0) }
        let sequence = RandomSequence(seed: seed, steps: numbers)
        try worker.check(sequence, isLoud: arguments.has("loud"))
    } else {
        try worker.run(seed, count)
    }
} else {
    // Memory, where it can be had: a sequence makes a store.
    let isShared = FileManager.default.isWritableFile(atPath: "/dev/shm")
    let base = isShared ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory
    let folder = base.appendingPathComponent("random-runs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let limit = arguments.value("failures").flatMap { Int($0) } ?? 1
    var failures = 0
    for family in families {
        let supervisor = Supervisor(family: family, folder: folder, failureLimit: limit)
        failures += try supervisor.run(seed, count)
    }
    try FileManager.default.removeItem(at: folder)
    exit(failures == 0 ? 0 : 1)
}
