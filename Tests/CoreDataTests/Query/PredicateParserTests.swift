import CoreData
import Testing

@testable import CoreData
import TestSupport

@Suite struct PredicateParserTests {
    /// What is parsed, and what it prints as.
    nonisolated(unsafe) static let formats: [(String, [Any], String)] = [
        ("name == 'x'", [], "name == \"x\""),
        ("name = \"x\"", [], "name == \"x\""),
        ("a=>1", [], "a >= 1"), ("a =< 1", [], "a <= 1"), ("a <> 1", [], "a != 1"),
        ("a < 1 && b > 2 || !(c == 3)", [], "(a < 1 AND b > 2) OR NOT c == 3"),
        ("not a == 1 AND b == 2", [], "NOT a == 1 AND b == 2"),
        ("a == 1 and b == 2 and c == 3", [], "a == 1 AND b == 2 AND c == 3"),
        ("name beginswith[cd] %@", ["A"], "name BEGINSWITH[cd] \"A\""),
        ("name CONTAINS[n] 'x'", [], "name CONTAINS[n] \"x\""),
        ("name CONTAINS [c] 'x'", [], "name CONTAINS[c] \"x\""),
        ("name = [cd] %@", ["x"], "name ==[cd] \"x\""),
        ("name LIKE '*x?'", [], "name LIKE \"*x?\""),
        ("name MATCHES '\\\\d+'", [], "name MATCHES \"\\\\d+\""),
        ("%K == %@", ["a.b", 5], "a.b == 5"),
        ("a IN {1, 2, 3}", [], "a IN {1, 2, 3}"),
        ("a IN %@", [[1, 2]], "a IN {1, 2}"),
        ("a BETWEEN {1, 10}", [], "a BETWEEN {1, 10}"),
        ("ANY e.age > 5", [], "ANY e.age > 5"), ("SOME e.age > 5", [], "ANY e.age > 5"),
        ("ALL e.age > 5", [], "ALL e.age > 5"), ("NONE e.age > 5", [], "NOT ANY e.age > 5"),
        (
            "SUBQUERY(e, $x, $x.age > 5 AND $x.n == a).@count > 0", [],
            "SUBQUERY(e, $x, $x.age > 5 AND $x.n == a).@count > 0"
        ),
        ("e.@count == 0", [], "e.@count == 0"), ("e.@sum.age > 1.5", [], "e.@sum.age > 1.5"),
        ("a + 2 * b ** 2 > -c", [], "(a + (2 * (b ** 2))) > (0 - c)"),
        ("(a + 2) * b == -5", [], "((a + 2) * b) == -5"),
        ("a == nil OR b != NULL", [], "a == nil OR b != nil"),
        ("a == YES AND b == false", [], "a == 1 AND b == 0"),
        ("SELF == %@", ["x"], "SELF == \"x\""), ("SELF.name == 'a'", [], "name == \"a\""),
        ("#select == 1 AND #in == 2", [], "select == 1 AND #in == 2"),
        ("name == $NAME", [], "name == $NAME"),
        ("sum(e.age) > 1 AND abs:(a) == 1", [], "sum:(e.age) > 1 AND abs:(a) == 1"),
        ("modulus:by:(a, 2) == 0", [], "modulus:by:(a, 2) == 0"),
        ("now() > a", [], "now() > a"),
        ("CAST(5, 'NSDate') < a", [], "CAST(5.0, \"NSDate\") < a"),
        ("CAST(NO, 'NSDate') < a", [], "CAST(0.0, \"NSDate\") < a"),
        ("TERNARY(a > 1, 'x', 'y') == b", [], "TERNARY(a > 1, \"x\", \"y\") == b"),
        ("FUNCTION(a, 'lowercase:') == 'x'", [], "lowercase:(a) == \"x\""),
        (
            "a[FIRST] == 1 AND a[0] == 2 AND a[SIZE] == 3", [],
            "a[FIRST] == 1 AND a[0] == 2 AND a[SIZE] == 3"
        ),
        (
            "a[#first] == 1 AND a[#LAST] == 2 AND a[ size ] == 3", [],
            "a[#first] == 1 AND a[#LAST] == 2 AND a[SIZE] == 3"
        ),
        ("a[size.width] == 1 AND a[last - 1] == 2", [], "a[size.width] == 1 AND a[last - 1] == 2"),
        ("TRUEPREDICATE", [], "TRUEPREDICATE"),
        ("a == %d AND b == %ld AND c == %f", [1, 2, 2.5], "a == 1 AND b == 2 AND c == 2.5"),
        ("a == 0x1F AND b == 1e3", [], "a == 31 AND b == 1000.0"),
        ("((a)) == ((1))", [], "a == 1"),
        ("size > 5 AND first == 2", [], "size > 5 AND first == 2"),
        ("größe > 5", [], "größe > 5"),
        ("a == \"\\u00e9\\n\"", [], "a == \"é\\n\""),
        ("a == '\\r\\t\\b\\f\\v\\x41'", [], "a == \"\\r\\t\u{8}\u{c}\u{b}A\""),
        ("a == '\\ud83d\\ude00'", [], "a == \"😀\""),
        ("a == 0o17 AND b == 0b101", [], "a == 15 AND b == 5"),
        ("name ==[cdnl] 'x'", [], "name ==[cdnl] \"x\""),
        (
            "FUNCTION($x, 'valueForKeyPath:', 'b c') == 1", [],
            "FUNCTION($x, \"valueForKeyPath:\", \"b c\") == 1"
        ),
        ("a == %d AND b == %d", [2.5, UInt64(7)], "a == 2 AND b == 7"),
        ("a == %d AND b == %f", [Int128(9), Float16(0.5)], "a == 9 AND b == 0.5"),
        ("a == %c", [Character("A")], "a == 65"),
        (
            "%K == 1 AND %K == 2", [NSMutableString(string: "a.b"), "c" as NSString],
            "a.b == 1 AND c == 2"
        ),
        ("a == -%d", [Int.min], "a == 9.223372036854776e+18"),
    ]

    @Test(arguments: formats.indices)
    func parsesAndPrints(_ index: Int) throws {
        let (format, arguments, expected) = Self.formats[index]
        let predicate = try NSPredicate.parse(format, arguments: arguments)
        let printed = PredicatePrinter.string(predicate)
        #expect(printed == expected)
        let again = try NSPredicate.parse(printed)
        #expect(PredicatePrinter.string(again) == printed)
        if !format.contains("%@") { #expect(again.isEqual(predicate)) }
    }

    @Test(arguments: [
        ("name == ", 8, "expected a value"),
        ("name", 4, "expected a comparison operator"),
        ("name == 'x", 8, "expected the quotation mark"),
        ("a == 1 b == 2", 7, "expected AND, OR or the end"),
        ("(a == 1", 7, "expected )"),
        ("a == {1, 2", 10, "expected a comma or }"),
        ("a ==[x] 1", 5, "expected one of the options"),
        ("a == %@", 7, "expected an argument for %@"),
        ("a == foo(1)", 5, "expected the name of a known function"),
        ("FUNCTION(a, 'deleteEverything') == 1", 0, "expected the selector of a known function"),
        ("a == 12ab", 7, "expected a number"),
        ("in == 1", 0, "expected a value; write #in"),
        ("", 0, "expected a value"),
        ("a. == 1", 2, "expected a key"),
        ("a == '\\ud83d\\u0041'", 18, "expected"),
        ("a == '\\ud83d\\uzz'", 14, "expected"),
        ("a == '\\udc00'", 12, "expected"),
        ("FETCH($R, $C, 5) == 1", 14, "expected YES or NO"),
        ("FUNCTION(a, 'valueForKeyPath:') == 1", 0, "expected a key in FUNCTION"),
    ])
    func namesThePositionOfAFault(_ format: String, _ position: Int, _ expectation: String) {
        let error = #expect(throws: QueryError.self) { try NSPredicate.parse(format) }
        #expect(error?.kind == .syntax(position: position))
        #expect(error?.message.contains("at position \(position): ") == true)
        #expect(error?.message.contains(expectation) == true, "\(error?.message ?? "")")
    }

    @Test func argumentsAreNeverParsed() throws {
        let evil = "x\" OR 1 == 1 OR name == \""
        let predicate = try NSPredicate.parse(
            "name == %@ AND %K == 1",
            arguments: [evil, "a OR b"]
        )
        guard case .and(let parts) = PredicateShape(predicate) else {
            Issue.record("not an AND")
            return
        }
        #expect(parts.count == 2)
        let first = try #require(parts[0] as? NSComparisonPredicate)
        #expect(first.rightExpression.constantValue as? String == evil)
        let second = try #require(parts[1] as? NSComparisonPredicate)
        #expect(second.leftExpression.keyPath == "a OR b")
    }

    @Test func argumentsThatDoNotFitTheirSpecifierAreRefused() {
        let cases: [(String, Any, String)] = [
            ("a == %d", 1e300, "expected a whole number as the argument for %d"),
            ("a == %d", -1e300, "expected a whole number as the argument for %d"),
            ("a == %d", "5", "expected a number as the argument for %d"),
            ("%K == 1", "", "expected a key that is not empty as the argument for %K"),
            ("%K == 1", 5, "expected a key as the argument for %K"),
        ]
        for (format, argument, expectation) in cases {
            let error = #expect(throws: QueryError.self) {
                try NSPredicate.parse(format, arguments: [argument])
            }
            #expect(error?.message.contains(expectation) == true)
        }
    }

    @Test func formatsThatAreTooLongAreRefused() {
        let format = "a IN {" + String(repeating: "1, ", count: 400_000) + "1}"
        let error = #expect(throws: QueryError.self) { try NSPredicate.parse(format) }
        #expect(error?.message.hasSuffix("pass long lists as arguments.") == true)
    }

    @Test(arguments: ["(", "NOT ", "!", "-", "{", "abs(", "SUBQUERY("])
    func nestingIsLimited(_ opening: String) {
        let format = String(repeating: opening, count: 100_000) + "a"
        #expect(throws: QueryError.self) { try NSPredicate.parse(format) }
        let limited =
            String(repeating: "(", count: 400) + "a == 1"
            + String(repeating: ")", count: 400)
        #expect(throws: Never.self) { try NSPredicate.parse(limited) }
    }

    @Test func clientSourceCompiles() {
        let name: String? = "x"
        let ids: Set<Int> = [1, 2]
        let a = NSPredicate(format: "name == %@ AND age > %d AND id IN %@", name as Any, 5, ids)
        let b = NSPredicate(format: "date > %@ AND uuid == %@", Date(), UUID())
        let c = NSPredicate(format: "a == %@", argumentArray: [1])
        let arguments: [any CVarArg] = [
            Date() as CVarArg, UUID() as CVarArg, ["a"] as CVarArg, ids as CVarArg,
            NSNumber(value: 1) as CVarArg, "x" as CVarArg, NSDate() as CVarArg,
        ]
        for argument in arguments {
            let predicate = NSPredicate(format: "a == %@", argument)
            #expect(predicate.evaluate(with: ["a": argument]))
        }
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b, c])
        #expect(both.subpredicates.count == 3)
        let compared = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "a"),
            rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct,
            type: .equalTo
        )
        #expect(compared == c)
        let substituted = NSPredicate(format: "a == $A").withSubstitutionVariables(["A": 1])
        #expect(substituted == c)
        let sort = NSSortDescriptor(key: "name", ascending: false)
        #expect(sort.key == "name" && !sort.ascending)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        request.predicate = a
        #expect((request.copy() as? NSFetchRequest<any NSFetchRequestResult>)?.predicate === a)
    }

    /// Random input: whatever parses prints as something that parses back.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func anyInputThrowsOrParses(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let pieces = [
            "a", "b.c", "SELF", "@count", ".", "@sum", "==", "!=", "<", ">", "=", "AND", "or",
            "NOT",
            "!", "(", ")", "(", ")", "{", "}", "[", "]", "[cd]", ",", "'x'", "\"", "'", "\\", "%@",
            "%K", "%d", "%", "$v", "$", "5", "0x", "1.5e3", "-", "+", "*", "**", "/", "IN",
            "BETWEEN",
            "ANY", "NONE", "SUBQUERY(", "CAST(", "TERNARY(", "FUNCTION(", "abs(", "sum:(", "nil",
            "TRUEPREDICATE", "é", "#", "FIRST", "\u{0}", "LIKE", "&&", "||",
        ]
        var parsed = 0
        for _ in 0..<10_000 {
            let count = 1 + random.below(9)
            var format = (0..<count).map { _ in random.pick(pieces) }.joined(
                separator: random.chance(3) ? "" : " "
            )
            if !random.chance(3) {
                // A good format with something in the wrong place.
                var good = Array(random.pick(Self.formats).0)
                let start = random.below(good.count), length = random.below(3)
                let end = min(start + length, good.count)
                good.replaceSubrange(start..<end, with: random.chance(2) ? "" : random.pick(pieces))
                format = String(good)
            }
            do {
                let predicate = try NSPredicate.parse(format, arguments: ["x", 1, "y", 2])
                let printed = PredicatePrinter.string(predicate)
                let again = try NSPredicate.parse(printed)
                #expect(PredicatePrinter.string(again) == printed, "\(format)")
                parsed += 1
            } catch let error as QueryError {
                guard case .syntax = error.kind else { throw error }
            }
        }
        #expect(parsed > 1000)
    }
}
