import Foundation

/// Parses predicate format strings by recursive descent.
///
/// A parenthesis may hold a predicate or an expression, so each rule gives a term that is either,
/// and nothing is ever read twice.
struct PredicateParser {
    /// How deep parentheses, `NOT` and functions may nest.
    static let maximumDepth = 500
    /// The longest format string, in bytes.
    static let maximumLength = 1 << 20

    enum Term {
        case predicate(NSPredicate)
        case expression(NSExpression)
    }

    var scanner: FormatScanner
    let format: String
    private let arguments: [Any]
    private var nextArgument = 0
    private var depth = 0
    /// Whether `FUNCTION` may name what a variable's value can do.
    private(set) var allowsCalls = false

    private init(_ format: String, _ arguments: [Any]) {
        self.format = format
        self.arguments = arguments
        scanner = FormatScanner(format)
    }

    // MARK: Entry points

    static func predicate(_ format: String, _ arguments: [Any]) throws -> NSPredicate {
        var parser = PredicateParser(format, arguments)
        let term = try parser.whole()
        return try parser.requirePredicate(term, at: parser.scanner.bytes.count)
    }

    static func expression(_ format: String, _ arguments: [Any]) throws -> NSExpression {
        try expression(format, arguments, allowingCalls: false)
    }

    /// - Parameter allowingCalls: Whether `FUNCTION` may call what a variable's value can do; for
    ///   expressions that the program itself writes.
    static func expression(
        _ format: String,
        _ arguments: [Any],
        allowingCalls: Bool
    ) throws -> NSExpression {
        var parser = PredicateParser(format, arguments)
        parser.allowsCalls = allowingCalls
        let term = try parser.whole()
        return try parser.requireExpression(term, at: 0)
    }

    /// For initializers that can't throw.
    static func predicateOrTrap<Predicate: NSPredicate>(
        _ format: String,
        _ arguments: [Any],
        as type: Predicate.Type
    ) -> Predicate {
        do {
            guard let predicate = try predicate(format, arguments) as? Predicate else {
                fatalError("A format string can't make a \(type); use NSPredicate.")
            }
            return predicate
        } catch {
            fatalError("\(error)")
        }
    }

    private mutating func whole() throws -> Term {
        guard scanner.bytes.count <= Self.maximumLength else {
            throw QueryError(
                kind: .syntax(position: Self.maximumLength),
                message: "The format string is longer than \(Self.maximumLength) bytes; "
                    + "pass long lists as arguments."
            )
        }
        let term = try or()
        scanner.skipSpace()
        guard scanner.isAtEnd else {
            throw failure("expected AND, OR or the end of the format string")
        }
        return term
    }

    // MARK: Rules for predicates

    /// `and (OR and)*`
    mutating func or() throws -> Term {
        // Whatever nests comes by here, so that this bounds the stack.
        try descend()
        defer { depth -= 1 }
        let first = try and()
        guard takeOr() else { return first }
        var parts = [try requirePredicate(first, at: scanner.position)]
        repeat {
            let term = try and()
            parts.append(try requirePredicate(term, at: scanner.position))
        } while takeOr()
        return .predicate(CompoundPredicate(type: .or, subpredicates: parts))
    }

    private mutating func and() throws -> Term {
        let first = try not()
        guard takeAnd() else { return first }
        var parts = [try requirePredicate(first, at: scanner.position)]
        repeat {
            let term = try not()
            parts.append(try requirePredicate(term, at: scanner.position))
        } while takeAnd()
        return .predicate(CompoundPredicate(type: .and, subpredicates: parts))
    }

    private mutating func not() throws -> Term {
        scanner.skipSpace()
        // With a `=` behind it the sign is an operator of a comparison.
        if scanner.current == UInt8(ascii: "!"), scanner.byte(ahead: 1) != UInt8(ascii: "=") {
            scanner.position += 1
            return try negatedRest()
        }
        guard let keyword = peekKeyword() else { return try comparison(.direct) }
        switch keyword {
        case .not:
            scanner.position = scanner.endOfName()
            return try negatedRest()
        case .any, .some:
            return .predicate(try modified(.any))
        case .all:
            return .predicate(try modified(.all))
        case .none:
            let predicate = try modified(.any)
            return .predicate(CompoundPredicate(type: .not, subpredicates: [predicate]))
        default:
            return try comparison(.direct)
        }
    }

    private mutating func negatedRest() throws -> Term {
        try descend()
        defer { depth -= 1 }
        let term = try not()
        let predicate = try requirePredicate(term, at: scanner.position)
        return .predicate(CompoundPredicate(type: .not, subpredicates: [predicate]))
    }

    private mutating func modified(
        _ modifier: NSComparisonPredicate.Modifier
    ) throws -> NSPredicate {
        scanner.position = scanner.endOfName()
        return try requirePredicate(try comparison(modifier), at: scanner.position)
    }

    /// `value (operator value)?`
    private mutating func comparison(_ modifier: NSComparisonPredicate.Modifier) throws -> Term {
        scanner.skipSpace()
        let start = scanner.position
        let left = try value()
        scanner.skipSpace()
        // Without an operator it may still be a value inside of a longer one, or a condition in
        // parentheses; which of them is allowed here, the caller knows.
        guard let type = takeComparisonOperator() else {
            if modifier != .direct, case .expression = left {
                throw failure("expected a comparison operator")
            }
            return left
        }
        let leftExpression = try requireExpression(left, at: start)
        scanner.skipSpace()
        let options = try takeOptions()
        scanner.skipSpace()
        let rightStart = scanner.position
        let rightExpression = try requireExpression(try value(), at: rightStart)
        return .predicate(
            NSComparisonPredicate(
                leftExpression: leftExpression,
                rightExpression: rightExpression,
                modifier: modifier,
                type: type,
                options: options
            )
        )
    }

    private mutating func takeComparisonOperator() -> NSComparisonPredicate.Operator? {
        switch scanner.current {
        case UInt8(ascii: "="):
            scanner.position += 1
            if scanner.take(UInt8(ascii: "=")) { return .equalTo }
            // Apple's grammar has `=>` and `=<` beside `>=` and `<=`.
            if scanner.take(UInt8(ascii: ">")) { return .greaterThanOrEqualTo }
            return scanner.take(UInt8(ascii: "<")) ? .lessThanOrEqualTo : .equalTo
        case UInt8(ascii: "<"):
            scanner.position += 1
            if scanner.take(UInt8(ascii: "=")) { return .lessThanOrEqualTo }
            return scanner.take(UInt8(ascii: ">")) ? .notEqualTo : .lessThan
        case UInt8(ascii: ">"):
            scanner.position += 1
            return scanner.take(UInt8(ascii: "=")) ? .greaterThanOrEqualTo : .greaterThan
        case UInt8(ascii: "!"):
            return scanner.take(UInt8(ascii: "!"), UInt8(ascii: "=")) ? .notEqualTo : nil
        default:
            guard let type = peekKeyword()?.comparison else { return nil }
            scanner.position = scanner.endOfName()
            return type
        }
    }

    private mutating func takeOptions() throws -> NSComparisonPredicate.Options {
        guard scanner.take(UInt8(ascii: "[")) else { return [] }
        var options: NSComparisonPredicate.Options = []
        while !scanner.take(UInt8(ascii: "]")) {
            switch scanner.current | 0x20 {
            case UInt8(ascii: "c"): options.insert(.caseInsensitive)
            case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
            case UInt8(ascii: "n"): options.insert(.normalized)
            case UInt8(ascii: "l"): options.insert(.localeSensitive)
            default: throw failure("expected one of the options c, d, n and l, or ]")
            }
            scanner.position += 1
        }
        return options
    }

    private mutating func takeAnd() -> Bool {
        scanner.skipSpace()
        if scanner.take(UInt8(ascii: "&"), UInt8(ascii: "&")) { return true }
        guard peekKeyword() == .and else { return false }
        scanner.position = scanner.endOfName()
        return true
    }

    private mutating func takeOr() -> Bool {
        scanner.skipSpace()
        if scanner.take(UInt8(ascii: "|"), UInt8(ascii: "|")) { return true }
        guard peekKeyword() == .or else { return false }
        scanner.position = scanner.endOfName()
        return true
    }

    // MARK: What rules share

    func peekKeyword() -> FormatKeyword? {
        let end = scanner.endOfName()
        return end > scanner.position ? scanner.keyword(endingAt: end) : nil
    }

    mutating func descend() throws {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw failure("expected no more than \(Self.maximumDepth) nested levels")
        }
    }
    mutating func ascend() { depth -= 1 }

    func requirePredicate(_ term: Term, at position: Int) throws -> NSPredicate {
        guard case .predicate(let predicate) = term else {
            throw failure("expected a comparison operator", at: position)
        }
        return predicate
    }

    func requireExpression(_ term: Term, at position: Int) throws -> NSExpression {
        guard case .expression(let expression) = term else {
            throw failure("expected a value, not a condition", at: position)
        }
        return expression
    }

    mutating func expect(_ byte: UInt8) throws {
        scanner.skipSpace()
        guard scanner.take(byte) else {
            throw failure("expected \(Character(Unicode.Scalar(byte)))")
        }
    }

    /// The argument for the specifier that ends here.
    mutating func argument(for specifier: String) throws -> Any? {
        guard nextArgument < arguments.count else {
            throw failure("expected an argument for \(specifier): there are \(arguments.count)")
        }
        defer { nextArgument += 1 }
        return unwrapped(arguments[nextArgument])
    }

    func failure(_ expectation: String, at position: Int? = nil) -> QueryError {
        let offset = scanner.characterOffset(position ?? scanner.position)
        let excerpt = format.count > 200 ? format.prefix(200) + "…" : Substring(format)
        return QueryError(
            kind: .syntax(position: offset),
            message: "Unable to parse the format string \"\(excerpt)\" at position \(offset): "
                + expectation
        )
    }
}
