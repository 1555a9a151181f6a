import Foundation
import RandomRuns

/// Runs sequences in this process, and notes which one runs.
struct Worker {
    let family: any RandomFamily.Type
    let progress: URL

    /// Exits with 1 at the first failure.
    func run(_ first: UInt64, _ count: UInt64) {
        let file = open(progress.path, O_WRONLY | O_CREAT, 0o600)
        for seed in first..<(first + count) {
            var current = seed
            pwrite(file, &current, MemoryLayout<UInt64>.size, 0)
            check(RandomSequence(seed: seed, of: family), isLoud: false)
        }
    }

    func check(_ sequence: RandomSequence, isLoud: Bool) {
        do {
            try sequence.run(family, isLoud: isLoud)
        } catch {
            say("  \(error)")
            exit(1)
        }
    }
}

/// Processes that run sequences of a kind, since what they find may stop them.
struct WorkerProcesses {
    let family: any RandomFamily.Type
    let folder: URL

    /// What the process that was run last has printed.
    var output: URL { folder.appendingPathComponent("output-\(family.name)") }
    private var progress: URL { folder.appendingPathComponent("seed-\(family.name)") }

    /// The seed that was run last.
    func lastSeed() throws -> UInt64 {
        let data = try Data(contentsOf: progress)
        return data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    /// Runs a process to its end.
    ///
    /// - Returns: How it has exited; not 0 if it was stopped by a signal.
    func run(_ arguments: [String], prints: Bool = false) throws -> Int32 {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments =
            ["--worker", "--family", family.name, "--progress", progress.path] + arguments
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["COREDATA_CONSISTENCY_CHECK"] = "1"
        environment["COREDATA_CONCURRENCY_DEBUG"] = "1"
        environment["TMPDIR"] = folder.path
        process.environment = environment
        if !prints {
            try Data().write(to: output)
            let handle = try FileHandle(forWritingTo: output)
            process.standardOutput = handle
            process.standardError = handle
        }
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 2
    }

    static var executable: URL { URL(fileURLWithPath: CommandLine.arguments[0]) }
}
