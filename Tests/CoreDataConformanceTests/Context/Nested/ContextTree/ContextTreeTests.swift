import CoreData
import Foundation
import TestSupport
import Testing

/// Random sequences of steps on a tree of contexts, beside a reference in plain dictionaries.
///
/// `CONTEXT_TREE_SEQUENCES` sets how many (150 for each kind of store if it is not set),
/// `CONTEXT_TREE_SEED` the first seed.
@Suite struct ContextTreeTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }

    @Test(arguments: StoreKind.allCases)
    func everyContextShowsWhatItsParentShowsWithItsOwnChangesOnTop(kind: StoreKind) throws {
        let first = Self.setting("CONTEXT_TREE_SEED") ?? 1
        let count = Self.setting("CONTEXT_TREE_SEQUENCES") ?? 150
        for seed in first..<(first + count) {
            var walk = try TreeWalk(kind, seed: UInt64(seed))
            do {
                try walk.run(steps: 25)
            } catch {
                let steps = walk.log.joined(separator: "\n  ")
                Issue.record("seed \(seed) over \(kind): \(error)\nafter\n  \(steps)")
                return
            }
        }
    }
}
