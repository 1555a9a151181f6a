import Foundation
import Testing

@testable import CoreData

@Suite struct SQLDifferentialTests {
    /// Predicates for each seed; the environment can ask for more.
    static let count =
        ProcessInfo.processInfo.environment["PREDICATE_PAIRS"].flatMap { Int($0) } ?? 500

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func sqlFindsWhatTheEvaluatorFinds(_ seed: UInt64) throws {
        let fixture = try QueryFixture(seed: seed, count: 40)
        var generator = RandomPredicate(seed: seed &* 7919, fixture: fixture)
        var failures = 0, refused = 0
        for _ in 0..<Self.count where failures < 8 {
            let predicate = try generator.make()
            let evaluator = PredicateEvaluator(predicate)
            let expected = fixture.people.filter { evaluator.evaluate($0) }
                .map(\.reference.primaryKey)
            let statement: SQLFragment
            do {
                statement = try fixture.statement(predicate)
            } catch let error as QueryError where error.kind == .unsupported {
                refused += 1
                continue
            }
            let found = try fixture.rowIDs(statement)
            if found != expected {
                failures += 1
                let different = Set(found).symmetricDifference(expected).sorted().prefix(2)
                let rows = different.map { key in
                    "\(key): " + fixture.people[Int(key) - 1].summary
                }
                Issue.record(
                    """
                    \(PredicatePrinter.string(predicate).prefix(600))
                    SQL: \(statement.sql.prefix(800)) \(statement.bindings.prefix(6))
                    found \(found), expected \(expected)
                    \(rows.joined(separator: "\n"))
                    """
                )
            }
        }
        #expect(refused < Self.count / 20)
    }

    @Test(arguments: [
        "name", "age", "height", "born", "price", "boss.name", "dept.floor", "reports.@count",
    ])
    func sqlSortsAsTheComparatorDoes(_ key: String) throws {
        let fixture = try QueryFixture(seed: 11, count: 60)
        for order in SortOrderName.allCases {
            for ascending in [true, false] {
                let descriptors = [
                    NSSortDescriptor(
                        key: key,
                        ascending: ascending,
                        selector: Selector(order.rawValue)
                    ),
                    NSSortDescriptor(key: "nick", ascending: !ascending),
                ]
                let found = try fixture.rowIDs(
                    fixture.statement(NSPredicate(value: true), descriptors)
                )
                let comparator = SortKeyComparator(descriptors)
                let expected = fixture.people.sorted { left, right in
                    switch comparator.compare(left, right) {
                    case .orderedAscending: true
                    case .orderedDescending: false
                    case .orderedSame: left.reference.primaryKey < right.reference.primaryKey
                    }
                }
                #expect(
                    found == expected.map(\.reference.primaryKey),
                    "\(key) \(order) \(ascending)"
                )
            }
        }
    }
}
