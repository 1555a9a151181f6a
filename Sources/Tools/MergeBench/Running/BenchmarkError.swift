import Foundation

/// What ended a benchmark, in a sentence for the user.
public struct BenchmarkError: LocalizedError {
    /// What went wrong and what to do about it.
    public let errorDescription: String?

    init(_ message: String) { errorDescription = message }

    /// A server of PostgreSQL, or a process at it, does not do as it should.
    static func server(_ words: String) -> BenchmarkError {
        let line = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return BenchmarkError("The benchmark of a server can't go on: \(line)")
    }

    /// A measurement that was made again ended otherwise.
    static func otherRows(_ specification: RunSpecification) -> BenchmarkError {
        BenchmarkError(
            "Two attempts of \(specification.layout) at \(specification.workload.rawValue) ended with "
                + "different rows."
        )
    }

    /// A workload of the layer did something else than bare SQLite.
    static func otherValues(_ letter: String) -> BenchmarkError {
        BenchmarkError("Workload \(letter): the layer has other values than bare SQLite.")
    }
}
