import Foundation
import RandomRuns
import XCTest

/// A share of the random tests that find nothing; `make random` runs all, and as many as one likes.
///
/// `SEQUENCES` sets how many of each kind, `SEED` the first seed, `RANDOM_FAMILY` the kind.
final class RandomTests: XCTestCase {
    // XCTest, since the main context's queue is the main one.

    func testResultsControllersListWhatAFetchGives() { run("results-lists") }

    private func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    private func run(_ name: String) {
        guard let family = RandomFamilies.named(name) else { return XCTFail("no \(name)") }
        if let only = setting("RANDOM_FAMILY"), only != name { return }
        let first = setting("SEED").flatMap { UInt64($0) } ?? 1
        let count = setting("SEQUENCES").flatMap { UInt64($0) } ?? 150
        // Where a sequence stops the process, its seed is the last that is printed.
        for seed in first..<(first + count) {
            do {
                try RandomSequence(seed: seed, of: family).run(family, isLoud: count == 1)
            } catch {
                return XCTFail("\(error)")
            }
        }
    }
}
