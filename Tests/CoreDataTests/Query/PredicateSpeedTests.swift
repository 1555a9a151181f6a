import Foundation
import Testing

@testable import CoreData

/// Costs of single operations; limits hold in debug builds too, so they are generous.
@Suite(.serialized) struct PredicateSpeedTests {
    private func nanoseconds(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure { for _ in 0..<count { try body() } }
        return Double(time.components.attoseconds) / 1e9 / Double(count)
            + Double(time.components.seconds) * 1e9 / Double(count)
    }

    private func report(_ name: String, _ cost: Double) {
        guard ProcessInfo.processInfo.environment["REPORT_COSTS"] != nil else { return }
        print("\(name): \(Int(cost)) ns")
    }

    /// 20 µs in a release build.
    @Test func parsingIsFast() throws {
        let cost = try nanoseconds(2000) {
            _ = try NSPredicate.parse("name BEGINSWITH[cd] %@ AND age > %d", arguments: ["a", 5])
        }
        report("parse", cost)
        #expect(cost < 200_000)
    }

    /// 1 µs a comparison in a release build.
    @Test(arguments: [
        "age > 5", "name == 'abc'", "age IN {1, 5, 36}", "boss.age > 5",
        "name ==[c] 'abc'", "ANY reports.age > 5",
    ])
    func evaluatingIsFast(_ format: String) throws {
        let fixture = try QueryFixture(seed: 5, count: 40)
        let evaluator = PredicateEvaluator(try NSPredicate.parse(format))
        var found = 0
        let cost = nanoseconds(200) {
            for person in fixture.people where evaluator.evaluate(person) { found += 1 }
        }
        report(format, cost / 40)
        #expect(cost / 40 < 50_000)
    }
}
