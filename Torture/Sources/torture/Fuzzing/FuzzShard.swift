import Foundation

/// Runs a target some times more: each shard goes on with the corpus that those before it have left.
///
/// A point is named `archive/10000/12`: the target, the number of runs, and the shard's own.
final class FuzzShard: PointRunner {
    static let small = 10_000
    static let large = 100_000
    /// How long the planted trap may stay unfound, in seconds.
    private static let patience = 60
    /// How long an input of a control is, in bytes, at most. The trap lies at its beginning, which
    /// libFuzzer seldom changes in a model of kilobytes: one run in six then misses it for half a minute.
    private static let controlLength = 64

    /// libFuzzer obeys the last of two values.
    private static let controlArguments = [
        "-max_total_time=\(patience)", "-max_len=\(controlLength)",
    ]

    private let targets: [FuzzTarget]
    private let options: Options
    private let folder: URL
    /// The package whose programs are run.
    private let package = URL(fileURLWithPath: "../Fuzz").standardizedFileURL

    init(_ targets: [FuzzTarget], _ options: Options, in folder: URL) {
        self.targets = targets
        self.options = options
        self.folder = folder
    }

    func run(_ point: String) throws -> PointResult? {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 3, let target = targets.first(where: { $0.name == parts[0] }),
            let runs = Int(parts[1]), let number = UInt64(parts[2])
        else { throw UsageError(text: "there is no shard \(point)") }
        let corpus = try corpus(of: target)
        let process = Process()
        process.executableURL = package.appendingPathComponent(".build/release/\(target.program)")
        process.currentDirectoryURL = package
        let seed = options.seed &* 1_000_003 &+ number
        process.arguments =
            target.arguments + [
                "-runs=\(runs)", "-seed=\(UInt32(truncatingIfNeeded: seed) | 1)", "-timeout=10",
                "-malloc_limit_mb=256", "-rss_limit_mb=1024", "-print_final_stats=1",
                "-artifact_prefix=\(options.folder.path)/\(target.name)-",
            ] + (options.isControl ? Self.controlArguments : []) + [corpus.path]
        var environment = ProcessInfo.processInfo.environment
        // libFuzzer keeps what has stopped the program only where it sees the signal itself.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment["FUZZ_TRAP"] = options.isControl ? "1" : nil
        process.environment = environment
        let file = folder.appendingPathComponent("output")
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        process.standardOutput = output
        process.standardError = output
        guard FileManager.default.fileExists(atPath: process.executableURL?.path ?? "") else {
            throw UsageError(text: "\(target.program) is not built: run make fuzz-build")
        }
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        return FuzzReport(text, target, hasEnded: process.terminationStatus == 0).result
    }

    /// The folder of inputs that a target goes on from, which begins as the one of the repository. A
    /// control leaves nothing for others.
    private func corpus(of target: FuzzTarget) throws -> URL {
        let home = options.isControl ? folder : options.folder
        let corpus = home.appendingPathComponent("corpus-\(target.name)")
        guard !FileManager.default.fileExists(atPath: corpus.path) else { return corpus }
        try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
        let packed = package.appendingPathComponent("Corpus/\(target.name).txt")
        let lines = try String(contentsOf: packed, encoding: .utf8).split(separator: "\n")
        for (index, line) in lines.enumerated() {
            guard let input = Data(base64Encoded: String(line)) else {
                throw UsageError(text: "line \(index + 1) of \(packed.path) is no base64")
            }
            try input.write(to: corpus.appendingPathComponent("kept-\(index)"))
        }
        return corpus
    }
}

/// What libFuzzer has printed of a run.
private struct FuzzReport {
    let result: PointResult

    init(_ text: String, _ target: FuzzTarget, hasEnded: Bool) {
        var result = PointResult()
        let lines = text.split(separator: "\n").map(String.init)
        result.figures["runs"] = Self.number(after: "number_of_executed_units:", in: lines)
        result.figures["most edges reached by \(target.name)"] = Self.number(
            after: "cov:",
            in: lines
        )
        result.figures["most inputs kept of \(target.name)"] = Self.number(
            after: "corp:",
            in: lines
        )
        if !hasEnded {
            let cause =
                lines.first { $0.contains("atal error") || $0.contains("ERROR: libFuzzer") }
                ?? lines.last ?? "no word"
            let input = lines.last { $0.contains("Test unit written to") }
            result.violations = [([cause, input].compactMap(\.self)).joined(separator: "; ")]
        }
        self.result = result
    }

    /// The last number behind a word.
    private static func number(after word: String, in lines: [String]) -> Int? {
        for line in lines.reversed() {
            guard let range = line.range(of: word) else { continue }
            let rest = line[range.upperBound...].drop { $0 == " " }
            return Int(rest.prefix { $0.isNumber })
        }
        return nil
    }
}
