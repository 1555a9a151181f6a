import Foundation

/// What ended a benchmark, in a sentence for the user.
public struct BenchmarkError: LocalizedError {
    /// What went wrong and what to do about it.
    public let errorDescription: String?

    init(_ message: String) { errorDescription = message }

    /// A workload of the layer did something else than bare SQLite.
    static func otherValues(_ letter: String) -> BenchmarkError {
        BenchmarkError("Workload \(letter): the layer has other values than bare SQLite.")
    }
}
