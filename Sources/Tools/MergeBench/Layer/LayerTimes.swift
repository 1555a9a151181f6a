/// How long one side took for a workload, again and again.
package struct LayerTimes: Codable, Sendable {
    /// In seconds, by round and by part of the workload.
    package var rounds: [[Double]]

    /// The seconds of a round in which nothing was disturbed: each part as in the round that was fastest
    /// with it, since what disturbs a part makes it slower, never faster.
    package var best: Double { Self.best(rounds) }

    /// By what share the best of the even rounds and of the odd ones differ, which measure the same;
    /// nil of a single round.
    package var difference: Double? {
        let halves = [0, 1].map { half in
            Self.best(rounds.enumerated().filter { $0.offset % 2 == half }.map(\.element))
        }
        guard let less = halves.min(), let more = halves.max(), less > 0 else { return nil }
        return more / less - 1
    }

    /// The sum over parts of the least of the rounds.
    private static func best(_ rounds: [[Double]]) -> Double {
        guard var least = rounds.first else { return 0 }
        for round in rounds.dropFirst() {
            for (part, seconds) in round.enumerated() { least[part] = min(least[part], seconds) }
        }
        return least.reduce(0, +)
    }
}
