import Testing

@testable import CoreData

@Suite struct PredicateEvaluationTests {
    nonisolated(unsafe) static let ada: [String: Any] = [
        "name": "Ada", "age": 36, "height": 1.7, "born": Date(timeIntervalSinceReferenceDate: 100),
        "tags": ["math", "Poetry"],
        "uuid": UUID(uuid: (0x6F, 0x1D, 0x4B, 0x7C, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)),
        "boss": ["name": "Charles", "age": 60], "isActive": true,
        "reports": [["name": "Bea", "age": 20], ["name": "Cy", "age": 30]] as [[String: Any]],
        "nobody": [[String: Any]](), "url": URL(fileURLWithPath: "/a.b/c"), "empty": "",
        "price": NSDecimalNumber(string: "10.5"), "accent": "Élan",
    ]

    @Test(arguments: [
        ("name == 'Ada'", true), ("name == 'ada'", false), ("name ==[c] 'ADA'", true),
        ("accent ==[cd] 'elan'", true), ("accent ==[c] 'elan'", false),
        ("accent BEGINSWITH[d] 'El'", true), ("accent CONTAINS[cd] 'LA'", true),
        ("age > 35.5", true), ("age BETWEEN {36, 40}", true), ("age BETWEEN {37, 40}", false),
        ("age == '36'", true), ("name == nil", false), ("missing == nil", true),
        ("missing != nil", false), ("missing > 1", false), ("NOT missing > 1", true),
        ("missing != 5", true), ("name != nil", true), ("name > 5", true),
        ("name LIKE 'A*'", true), ("name LIKE 'A?a'", true), ("name LIKE 'a?A'", false),
        ("name LIKE[c] 'a?A'", true), ("name MATCHES 'A.a'", true), ("name MATCHES 'A'", false),
        ("name MATCHES '('", false), ("name ENDSWITH 'da'", true), ("empty == ''", true),
        ("'math' IN tags", true), ("tags CONTAINS 'math'", true),
        ("tags CONTAINS[c] 'POETRY'", true),
        ("name IN {'Bob', 'Ada'}", true), ("name IN 'xAdax'", true), ("age IN {1, 36.0}", true),
        ("missing IN {nil, 1}", true), ("missing IN {1}", false),
        ("boss.name == 'Charles'", true), ("boss.age - age == 24", true),
        ("ANY reports.age > 25", true), ("ALL reports.age > 25", false),
        ("NONE reports.age > 35", true), ("ALL nobody.age > 1", true),
        ("ANY nobody.age > 1", false),
        ("reports.@count == 2", true), ("reports.@sum.age == 50", true),
        ("reports.@avg.age == 25", true), ("reports.@max.age == 30", true),
        ("nobody.@max.age == nil", true), ("sum(reports.age) == 50", true),
        ("reports.@sum.name == 0", true), ("name > reports.@sum.name", false),
        ("SUBQUERY(reports, $r, $r.age < 25 AND $r.age < age).@count == 1", true),
        ("isActive == YES", true), ("isActive == 1", true), ("price == 10.5", true),
        ("born > CAST(99, 'NSDate')", true), ("url CONTAINS 'a.b'", true),
        ("uuid == CAST('6F1D4B7C-0000-4000-8000-000000000001', 'NSUUID')", true),
        ("5 / 2 == 2", true), ("5.0 / 2 == 2.5", true), ("1 / 0 == nil", true),
        ("2 ** 3 == 8", true), ("modulus:by:(7, 3) == 1", true), ("abs(-3) == 3", true),
        ("lowercase(name) == 'ada'", true), ("length(name) == 3", true),
        ("TERNARY(age > 30, 'old', 'young') == 'old'", true),
        ("reports[0].name == 'Bea' AND reports[LAST].name == 'Cy' AND reports[SIZE] == 2", true),
        ("1 + 2 < name", true), ("name > 0 - 7", true), ("age == lowercase('36')", true),
        ("name IN {1 + 2, uppercase('x'), missing}", false),
        ("age IN {lowercase('36'), boss.age}", true),
        ("TRUEPREDICATE AND NOT FALSEPREDICATE", true),
        ("age == 36 AND (name == 'x' OR age < 40)", true),
    ])
    func evaluates(_ format: String, _ expected: Bool) throws {
        let predicate = try NSPredicate.parse(format)
        #expect(predicate.evaluate(with: Self.ada) == expected)
        #expect(predicate.evaluate(with: Self.ada as NSDictionary) == expected)
        #expect(PredicateEvaluator(predicate).evaluate(Self.ada, variables: nil) == expected)
        let printed = try NSPredicate.parse(PredicatePrinter.string(predicate))
        #expect(printed.evaluate(with: Self.ada) == expected)
        let negated = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        #expect(negated.evaluate(with: Self.ada) != expected)
    }

    @Test func evaluatesPlainValues() {
        #expect(NSPredicate(format: "SELF > 3").evaluate(with: 5))
        #expect(NSPredicate(format: "SELF BEGINSWITH 'a'").evaluate(with: "abc"))
        #expect(NSPredicate(format: "SELF IN %@", [1, 2]).evaluate(with: NSNumber(value: 2)))
        #expect(NSPredicate(format: "SELF.length == 3").evaluate(with: "abc"))
        #expect(!NSPredicate(format: "SELF == 1").evaluate(with: nil))
        let filtered = (["b", "abc", "ab"] as NSArray).filtered(
            using: NSPredicate(format: "SELF BEGINSWITH 'a'")
        )
        #expect(filtered.count == 2)
        let predicate = NSPredicate(format: "age == $AGE")
        #expect(predicate.evaluate(with: ["age": 5], substitutionVariables: ["AGE": 5]))
    }

    @Test func blocksGetTheObject() {
        let block = NSPredicate { object, _ in (object as? [String: Any])?["age"] as? Int == 36 }
        let both = NSPredicate(format: "name == 'Ada' AND %@", block)
        #expect(both.evaluate(with: Self.ada))
    }

    @Test func sortsNilFirstAndByBytes() {
        let rows: [[String: Any]] = [
            ["n": "b"], ["n": "B"], ["n": NSNull()], ["n": "a", "m": 2], ["n": "a", "m": 1.5],
        ]
        func sorted(_ descriptors: [NSSortDescriptor]) -> [[String: Any]] {
            let comparator = SortKeyComparator(descriptors)
            return rows.sorted { comparator.compare($0 as Any, $1 as Any) == .orderedAscending }
        }
        let up = sorted([
            NSSortDescriptor(key: "n", ascending: true),
            NSSortDescriptor(key: "m", ascending: false),
        ])
        #expect(up.map { $0["n"] as? String } == [nil, "B", "a", "a", "b"])
        #expect(up[2]["m"] as? Int == 2)
        let down = sorted([
            NSSortDescriptor(key: "n", ascending: false, selector: "caseInsensitiveCompare:")
        ])
        #expect(down.map { $0["n"] as? String }.last == .some(nil))
        let block = sorted([
            NSSortDescriptor(key: "n", ascending: true) { a, b in
                "\(b)".compare("\(a)")
            }
        ])
        #expect(block.first?["n"] is NSNull)
    }
}
