import Foundation
import SeededRandom

/// The steps that a seed stands for, or some of them.
package struct RandomSequence: Sendable {
    package let seed: UInt64
    /// The numbers of the steps that are taken.
    package var steps: [Int]

    package init(seed: UInt64, steps: [Int]) {
        self.seed = seed
        self.steps = steps
    }

    /// All steps of a seed: between a third and all of the most that the family has.
    package init(seed: UInt64, of family: any RandomFamily.Type) {
        var random = SplitMix(seed: seed &* 3)
        let least = max(1, family.stepCount / 3)
        let count = least + Int(random.next() % UInt64(family.stepCount - least + 1))
        self.init(seed: seed, steps: Array(0..<count))
    }

    private func numbers(_ step: Int) -> SplitMix {
        var mixed = SplitMix(seed: seed &* 0x1000_0001 &+ UInt64(bitPattern: Int64(step)))
        return SplitMix(seed: mixed.next())
    }

    /// Runs the sequence.
    ///
    /// - Parameter isLoud: Whether each step is printed before it is done, for a sequence that
    ///   stops the program.
    /// - Throws: `RandomFailure`.
    package func run(_ family: any RandomFamily.Type, isLoud: Bool = false) throws {
        var log: [String] = []
        var printed = 0
        func tell(_ world: any RandomFamily) {
            log = world.log
            guard isLoud else { return }
            for line in log[printed...] { print("  " + line) }
            printed = log.count
            fflush(nil)
        }
        do {
            var setUp = numbers(-1)
            let world = try family.init(&setUp)
            tell(world)
            defer { MainQueueTurn.run() }
            for step in steps {
                var numbers = numbers(step)
                do { try world.step(&numbers) } catch {
                    log = world.log
                    throw error
                }
                tell(world)
            }
            do { try world.finish() } catch {
                log = world.log
                throw error
            }
            tell(world)
        } catch {
            throw RandomFailure(family: family.name, sequence: self, log: log, error: error)
        }
    }
}

/// A sequence that showed a difference.
package struct RandomFailure: Error, CustomStringConvertible {
    let family: String
    let sequence: RandomSequence
    let log: [String]
    let error: any Error

    package var description: String {
        """
        \(family), seed \(sequence.seed), steps \(sequence.steps): \(error)
        after
          \(log.joined(separator: "\n  "))
        """
    }
}

/// Where something shows what it should not.
package struct Difference: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }

    static func check(_ what: String, _ seen: [String], _ expected: [String]) throws {
        guard seen != expected else { return }
        let more = seen.filter { !expected.contains($0) }
        let less = expected.filter { !seen.contains($0) }
        throw Difference(
            "\(what) shows\n    \(more.joined(separator: "\n    "))\n  and not\n    "
                + (less.isEmpty
                    ? "(the order differs) \(expected)" : less.joined(separator: "\n    "))
        )
    }
}

/// Lets the main queue do what waits for it.
enum MainQueueTurn {
    static func run() {
        let isDone = Flag()
        DispatchQueue.main.async { isDone.isSet = true }
        while !isDone.isSet { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
    }

    private final class Flag: @unchecked Sendable {
        // @unchecked: on the main queue only.
        var isSet = false
    }
}
