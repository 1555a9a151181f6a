import Foundation
import RandomRuns

/// Has a worker run sequences, and looks into those that fail.
struct Supervisor {
    /// How many sequences a process runs: what one leaves behind ends with it.
    private static let batchCount: UInt64 = 5_000

    let workers: WorkerProcesses
    let failureLimit: Int
    private var family: any RandomFamily.Type { workers.family }

    /// - Returns: How many sequences failed.
    func run(_ first: UInt64, _ count: UInt64) throws -> Int {
        let start = Date()
        let end = first + count
        var next = first, failures = 0
        while next < end {
            let batch = min(end - next, Self.batchCount)
            let status = try workers.run(["--seed", "\(next)", "--sequences", "\(batch)"])
            guard status != 0 else {
                next += batch
                continue
            }
            let seed = try workers.lastSeed()
            failures += 1
            say("\(family.name): seed \(seed) fails")
            let output = try String(contentsOf: workers.output, encoding: .utf8)
            try shrink(RandomSequence(seed: seed, of: family), output)
            if failures >= failureLimit {
                say("\(family.name): stopped after \(seed - first + 1) sequences")
                return failures
            }
            next = seed + 1
        }
        let time = Date().timeIntervalSince(start)
        say(
            "\(family.name): seeds \(first) to \(end - 1), \(count) sequences, "
                + "\(failures) failed, \(Int(Double(count) / max(time, 0.001))) a second"
        )
        return failures
    }

    /// Drops steps as long as the sequence still fails, and shows what is left.
    ///
    /// - Parameter output: What was printed when it failed first.
    private func shrink(_ sequence: RandomSequence, _ output: String) throws {
        func fails(_ steps: [Int]) throws -> Bool {
            try workers.run(["--seed", "\(sequence.seed)", "--steps", text(steps)]) != 0
        }
        var steps = sequence.steps
        guard try fails(steps) else {
            say(
                "  it passes by itself: what failed depends on threads, or on sequences before it"
            )
            say(output)
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
        _ = try workers.run(
            ["--seed", "\(sequence.seed)", "--steps", text(steps), "--loud"],
            prints: true
        )
        say(
            "  `make random FAMILY=\(family.name) SEED=\(sequence.seed) SEQUENCES=1` repeats it"
        )
    }

    private func text(_ steps: [Int]) -> String { steps.map(String.init).joined(separator: ",") }
}

/// Runs a family's sequences in several processes at once, each of which has a supervisor.
struct Jobs {
    let family: any RandomFamily.Type
    let count: UInt64
    let failureLimit: Int

    /// - Returns: How many of the processes have failed.
    func run(_ first: UInt64, _ sequences: UInt64) throws -> Int {
        var running: [Process] = []
        for job in 0..<count {
            let start = first + sequences * job / count
            let end = first + sequences * (job + 1) / count
            guard start < end else { continue }
            let process = Process()
            process.executableURL = WorkerProcesses.executable
            process.arguments = [
                "--family", family.name, "--seed", "\(start)", "--sequences", "\(end - start)",
                "--failures", "\(failureLimit)",
            ]
            try process.run()
            running.append(process)
        }
        for process in running { process.waitUntilExit() }
        return running.filter {
            $0.terminationReason != .exit || $0.terminationStatus != 0
        }.count
    }
}
