import Foundation

/// R10 to R12: libFuzzer changes what parsers and readers are given, by what of their code it reaches.
struct FuzzRow: TortureRow {
    let id: String
    let name: String
    let title: String
    let targets: [FuzzTarget]
    /// How many runs a change has, and how many a release.
    let changeRuns: Int
    let releaseRuns: Int

    let unit = "shards"
    var changeCount: Int { changeRuns / FuzzShard.small }
    var releaseCount: Int { releaseRuns / FuzzShard.large }
    let control = "A trap behind a word of four bytes, which nothing but failed comparisons lead to"
    /// A shard of a release has 100,000 runs.
    var pointLimit: Double { 3_600 }

    static let all = [
        FuzzRow(
            id: "R10",
            name: "predicates",
            title: "Format strings of predicates are fuzzed",
            targets: [.predicate],
            changeRuns: 200_000,
            releaseRuns: 20_000_000
        ),
        FuzzRow(
            id: "R11",
            name: "models",
            title: "Model files are fuzzed",
            targets: [.file("compiled"), .file("source"), .file("versions")],
            changeRuns: 200_000,
            releaseRuns: 5_000_000
        ),
        FuzzRow(
            id: "R12",
            name: "archives",
            title: "Metadata, archived values and kept models are fuzzed",
            targets: [.file("metadata"), .file("archive"), .file("cache"), .file("list")],
            changeRuns: 200_000,
            releaseRuns: 2_000_000
        ),
    ]

    func plan(_ options: Options) throws -> Plan {
        let isRelease = options.count == .max
        let count = isRelease ? releaseCount : options.count ?? changeCount
        let size = isRelease ? FuzzShard.large : FuzzShard.small
        let points = (0..<count).map { number in
            "\(targets[number % targets.count].name)/\(size)/\(number)"
        }
        return Plan(points: points, expectedCount: count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        // As many runs as a minute has room for, which ends it.
        let points = targets.map { "\($0.name)/100000000/0" }
        return Plan(points: points, expectedCount: points.count)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.filter { $0.text.contains("the planted trap") }.count == targets.count
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        FuzzShard(targets, options, in: folder)
    }
}

/// A program of the package `Fuzz`.
struct FuzzTarget: Sendable {
    let name: String
    let program: String
    let arguments: [String]

    static let predicate = FuzzTarget(
        name: "predicate",
        program: "predicate-fuzz",
        arguments: ["-dict=predicates.dict", "-max_len=400"]
    )
    static func file(_ format: String) -> FuzzTarget {
        FuzzTarget(
            name: format,
            program: "file-fuzz",
            arguments: ["--format=\(format)", "-max_len=65536"]
        )
    }
}
