import Foundation

@testable import CoreData
import TestSupport

/// Makes random predicates about people.
struct RandomPredicate {
    var random: SplitMix
    let fixture: QueryFixture
    var arguments: [Any] = []
    private var depth = 0

    init(seed: UInt64, fixture: QueryFixture) {
        random = SplitMix(seed: seed)
        self.fixture = fixture
    }

    mutating func make() throws -> NSPredicate {
        let format = makeFormat()
        return try NSPredicate.parse(format, arguments: arguments)
    }

    /// A format; its arguments are in ``arguments``.
    mutating func makeFormat() -> String {
        arguments = []
        return condition(0)
    }

    private mutating func argument(_ value: Any) -> String {
        arguments.append(value)
        return "%@"
    }

    mutating func condition(_ depth: Int) -> String {
        switch depth > 3 ? 5 : random.below(10) {
        case 0: return "(\(condition(depth + 1)) AND \(condition(depth + 1)))"
        case 1: return "(\(condition(depth + 1)) OR \(condition(depth + 1)))"
        case 2: return "NOT (\(condition(depth + 1)))"
        case 3: return collection(depth)
        default: return comparison("")
        }
    }

    private static let orders = ["==", "!=", "<", "<=", ">", ">="]
    private static let options = ["", "", "[c]", "[d]", "[cd]", "[n]"]

    private mutating func constant() -> Any {
        switch random.below(9) {
        case 0: return NSNull()
        case 1, 2: return random.pick(Pools.strings)
        case 3: return random.pick(Pools.integerConstants)
        case 4: return random.pick(Pools.realConstants)
        case 5: return random.pick(Pools.dateConstants)
        case 6: return random.pick(Pools.uuidConstants)
        case 7: return random.pick(Pools.decimalConstants)
        default: return random.pick(Pools.dataConstants)
        }
    }

    /// A constant that fits, mostly.
    private mutating func constant(for path: String) -> Any {
        if random.chance(6) { return constant() }
        switch path.split(separator: ".").last ?? "" {
        case "name", "nick", "title", "label": return random.pick(Pools.strings)
        case "age", "floor", "isActive": return random.pick(Pools.integerConstants)
        case "height": return random.pick(Pools.realConstants)
        case "born": return random.pick(Pools.dateConstants)
        case "price": return random.pick(Pools.decimalConstants)
        case "uuid": return random.pick(Pools.uuidConstants)
        case "data": return random.pick(Pools.dataConstants)
        case "boss", "SELF", "reports": return random.pick(fixture.people)
        case "dept": return random.pick(fixture.departments)
        case "tags": return random.pick(fixture.tags)
        default: return constant()
        }
    }

    private mutating func attribute() -> String {
        random.pick([
            "name", "nick", "age", "height", "born", "price", "isActive", "uuid", "data", "name",
        ])
    }

    /// A path that leads to one value.
    private mutating func path() -> String {
        switch random.below(8) {
        case 0: return "boss." + attribute()
        case 1: return random.pick(["dept.title", "dept.floor", "boss.dept.title"])
        case 2: return random.pick(["boss", "dept", "boss.boss", "boss.dept", "SELF"])
        case 3: return random.pick(["reports.@count", "tags.@count", "dept.staff.@count"])
        case 4:
            return random.pick([
                "reports.@max.age", "reports.@min.name", "reports.@sum.age",
                "reports.@avg.age", "tags.people.@sum.age", "dept.staff.@max.height",
                "reports.@sum.name", "tags.@avg.label",
            ])
        default: return attribute()
        }
    }

    private mutating func value(_ prefix: String) -> String {
        let path = prefix.isEmpty ? path() : prefix + attribute()
        switch random.below(12) {
        case 0: return "(\(path) + \(argument(random.pick(Pools.integerConstants))))"
        case 1: return "(\(path) \(random.pick(["+", "-", "*", "/"])) age)"
        case 2:
            return random.pick(["abs", "lowercase", "uppercase", "length", "floor"]) + "(\(path))"
        case 3: return "modulus:by:(\(path), 3)"
        case 4: return "TERNARY(age > 5, age, height)"
        case 5: return bits(path)
        default: return path
        }
    }

    private mutating func bits(_ path: String) -> String {
        let signs = ["&", "|", "^", "<<", ">>"]
        let other = random.pick(["1", "6", "-3", "age", "isActive", "2.5", "'x'"])
        switch random.below(4) {
        case 0: return "~\(path)"
        case 1: return "(\(path) \(random.pick(signs)) \(other) \(random.pick(signs)) age)"
        default: return "(\(path) \(random.pick(signs)) \(other))"
        }
    }

    mutating func comparison(_ prefix: String) -> String {
        let left = value(prefix)
        switch random.below(12) {
        case 0: return "\(left) \(random.pick(Self.orders)) \(value(prefix))"
        case 1, 2: return text(left)
        case 3: return "\(left) IN\(random.pick(Self.options)) \(list(for: left))"
        case 4:
            let low = argument(constant(for: left)), high = argument(constant(for: left))
            return "\(left) BETWEEN {\(low), \(high)}"
        case 5: return "\(side(for: left)) \(random.pick(Self.orders)) \(left)"
        case 9: return "\(left) \(random.pick(Self.orders)) \(random.pick(["TRUE", "NO"]))"
        case 6: return "\(left) \(random.pick(Self.orders)) nil"
        case 7 where prefix.isEmpty:
            let mixed = "{\(path()), \(side(for: left))}"
            return random.chance(2) ? "\(left) IN \(mixed)" : "\(left) BETWEEN \(mixed)"
        case 8 where prefix.isEmpty:
            let element = argument(constant(for: left))
            return "\(element) IN {\(left), \(argument(constant()))}"
        default:
            let options = random.pick(Self.options)
            return "\(left) \(random.pick(Self.orders))\(options) \(side(for: left))"
        }
    }

    /// What a value is compared with: a constant, or what a function makes of some.
    private mutating func side(for path: String) -> String {
        guard random.chance(6) else { return argument(constant(for: path)) }
        return random.pick([
            "1 + 2", "0 - 7", "~2", "5 / 0", "abs(-3)", "length('ab')", "sum({1, 2})",
            "lowercase('A')", "uppercase('é')", "max({'a', 'b'})", "noindex('3')",
        ])
    }

    private mutating func text(_ left: String) -> String {
        let operation = random.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES"])
        let options = random.pick(Self.options)
        if operation == "MATCHES" {
            let pattern = random.pick(["a.*", "[ab]+", "", ".", "\\d+", "A|á"])
            return "\(left) MATCHES\(options) \(argument(pattern))"
        }
        if random.chance(6) { return "\(left) \(operation)\(options) \(attribute())" }
        return
            "\(left) \(operation)\(options) \(argument(random.pick(Pools.strings + ["a*", "?b", "*"])))"
    }

    private mutating func list(for path: String) -> String {
        let isHuge = random.chance(8)
        var elements: [Any] = (0..<random.below(isHuge ? 700 : 5)).map { _ in constant(for: path) }
        if isHuge {
            elements += (0..<510).map { $0 }
            elements += (0..<510).map { "x\($0)\n\"" }
            elements += (0..<510).map { Double($0) / 7 }
        }
        return argument(elements)
    }

    private mutating func collection(_ depth: Int) -> String {
        let modifier = random.pick(["ANY", "ALL", "NONE", "SOME"])
        switch random.below(8) {
        case 0, 1:
            let path =
                random.pick([
                    "reports.", "tags.people.", "dept.staff.", "reports.boss.",
                    "boss.reports.", "boss.",
                ]) + attribute()
            let kind = random.below(4)
            if kind == 0 { return modifier + " " + text(path) }
            if kind == 1 { return "\(modifier) \(path) IN \(list(for: path))" }
            return
                "\(modifier) \(path) \(random.pick(Self.orders)) \(argument(constant(for: path)))"
        case 2:
            let path = random.pick(["tags.label", "dept.title", "reports.dept.title"])
            return modifier + " " + text(path)
        case 3:
            let path = random.pick(["reports", "tags", "dept", "boss"])
            return
                "\(modifier) \(path) \(random.pick(["==", "!="])) \(argument(constant(for: path)))"
        case 4:
            let path = random.pick(["reports", "tags", "dept.staff", "reports.name", "tags.label"])
            let element = argument(constant(for: path))
            return random.chance(2) ? "\(element) IN \(path)" : "\(path) CONTAINS \(element)"
        case 5:
            let path = random.pick(["reports", "tags.people", "dept.staff", "boss.reports"])
            let inner =
                "\(comparison("$x.")) AND $x.\(attribute()) \(random.pick(Self.orders)) \(attribute())"
            return
                "SUBQUERY(\(path), $x, \(inner)).@count \(random.pick(Self.orders)) \(random.below(3))"
        case 6:
            return
                "\(random.pick(["reports", "tags", "dept.staff"])).@count \(random.pick(Self.orders)) \(random.below(3))"
        default:
            let path = random.pick(["reports", "boss.reports"])
            return
                "SUBQUERY(\(path), $x, ANY $x.reports.age > 1 OR $x.boss.name == $x.dept.title).@count == \(random.below(2))"
        }
    }
}
