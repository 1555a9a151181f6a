import Foundation

/// The rules for values.
extension PredicateParser {
    /// `bits ((UNION | INTERSECT | MINUS) bits)*`
    mutating func value() throws -> Term {
        var left = try bitwise(try sum(), above: 0)
        while true {
            scanner.skipSpace()
            let start = scanner.position
            let operation: ExpressionNode.SetOperation
            switch peekKeyword() {
            case .union: operation = .union
            case .intersect: operation = .intersect
            case .minus: operation = .minus
            default: return left
            }
            scanner.position = scanner.endOfName()
            let first = try requireExpression(left, at: start)
            let operand = try bitwise(try sum(), above: 0)
            let second = try requireExpression(operand, at: scanner.position)
            left = .expression(NSExpression(.setOperation(operation, first, second)))
        }
    }

    /// `product ((+ | -) product)*`
    mutating func sum() throws -> Term {
        var left = try product()
        while true {
            scanner.skipSpace()
            let start = scanner.position
            let function: QueryFunction
            switch scanner.current {
            case UInt8(ascii: "+"): function = .add
            case UInt8(ascii: "-"): function = .subtract
            default: return left
            }
            scanner.position += 1
            left = try combine(function, left, try product(), at: start)
        }
    }

    private mutating func product() throws -> Term {
        var left = try power()
        while true {
            scanner.skipSpace()
            let start = scanner.position
            let function: QueryFunction
            switch scanner.current {
            // A double star has been taken by `power`, which binds tighter: this one is single.
            case UInt8(ascii: "*"): function = .multiply
            case UInt8(ascii: "/"): function = .divide
            default: return left
            }
            scanner.position += 1
            left = try combine(function, left, try power(), at: start)
        }
    }

    private mutating func power() throws -> Term {
        var left = try unary()
        while true {
            scanner.skipSpace()
            let start = scanner.position
            guard scanner.take(UInt8(ascii: "*"), UInt8(ascii: "*")) else { return left }
            left = try combine(.power, left, try unary(), at: start)
        }
    }

    func combine(
        _ function: QueryFunction,
        _ left: Term,
        _ right: Term,
        at position: Int
    ) throws -> Term {
        let arguments = [
            try requireExpression(left, at: position), try requireExpression(right, at: position),
        ]
        return .expression(
            NSExpression(.function(name: function.rawValue, arguments: arguments))
        )
    }

    private mutating func unary() throws -> Term {
        scanner.skipSpace()
        let start = scanner.position
        if scanner.take(UInt8(ascii: "~")) {
            try descend()
            defer { ascend() }
            let operand = try requireExpression(try unary(), at: start)
            let name = QueryFunction.onesComplement.rawValue
            return .expression(NSExpression(.function(name: name, arguments: [operand])))
        }
        guard scanner.take(UInt8(ascii: "-")) else { return try postfix() }
        try descend()
        defer { ascend() }
        let operand = try requireExpression(try unary(), at: start)
        // The sign becomes part of a literal: only constants are read as the other side's kind,
        // which a difference from 0 would not be.
        if case .constant(let value) = operand.node {
            if let integer = value as? Int {
                let negated: Any = integer == .min ? 0x1p63 : -integer
                return .expression(NSExpression(.constant(negated)))
            }
            if let real = value as? Double {
                // The least integer is one further from zero than the greatest.
                let digits = scanner.text((start + 1)..<scanner.position)
                let isLeast = real == 0x1p63 && digits == "9223372036854775808"
                let negated: Any = isLeast ? Int.min : -real
                return .expression(NSExpression(.constant(negated)))
            }
        }
        let arguments = [NSExpression(.constant(0)), operand]
        return .expression(
            NSExpression(.function(name: QueryFunction.subtract.rawValue, arguments: arguments))
        )
    }

    /// `primary (.path | [index])*`
    private mutating func postfix() throws -> Term {
        let start = scanner.position
        var term = try primary()
        while !scanner.isAtEnd {
            if scanner.current == UInt8(ascii: ".") {
                scanner.position += 1
                let isGiven = scanner.current == UInt8(ascii: "%")
                let path = isGiven ? try givenKeyPath() : try keyPath()
                term = .expression(Self.appending(path, to: try requireExpression(term, at: start)))
            } else if scanner.current == UInt8(ascii: "[") {
                scanner.position += 1
                let operand = try requireExpression(term, at: start)
                let arguments = [operand, try index()]
                try expect(UInt8(ascii: "]"))
                term = .expression(
                    NSExpression(
                        .function(name: QueryFunction.element.rawValue, arguments: arguments)
                    )
                )
            } else {
                break
            }
        }
        return term
    }

    /// A path that an argument names: `$FETCH_SOURCE.%K`.
    private mutating func givenKeyPath() throws -> String {
        let start = scanner.position
        guard case .expression(let expression) = try specifier(),
            case .keyPath(nil, let path) = expression.node
        else { throw failure("expected a key, or %K for one", at: start) }
        return path
    }

    static func appending(_ path: String, to operand: NSExpression) -> NSExpression {
        switch operand.node {
        case .evaluatedObject: NSExpression(.keyPath(operand: nil, path: path))
        case .keyPath(let inner, let prefix):
            NSExpression(.keyPath(operand: inner, path: prefix + "." + path))
        default: NSExpression(.keyPath(operand: operand, path: path))
        }
    }

    /// A symbol if its name is all that the brackets hold: `size.width` in them is a key path.
    private mutating func index() throws -> NSExpression {
        scanner.skipSpace()
        let start = scanner.position
        let symbol: ExpressionNode.IndexSymbol?
        switch peekKeyword() {
        case .first: symbol = .first
        case .last: symbol = .last
        case .size: symbol = .size
        default: symbol = nil
        }
        if let symbol {
            scanner.position = scanner.endOfName()
            scanner.skipSpace()
            if scanner.current == UInt8(ascii: "]") { return NSExpression(.index(symbol)) }
            scanner.position = start
        }
        return try requireExpression(try or(), at: start)
    }

    /// `component (. component)*`, each a name, `#name` or `@operator`.
    private mutating func keyPath() throws -> String {
        let start = scanner.position
        var isPlain = true
        while true {
            if scanner.current == UInt8(ascii: "#") {
                isPlain = false
                scanner.position += 1
            } else if scanner.current == UInt8(ascii: "@") {
                scanner.position += 1
            }
            let end = scanner.endOfName()
            guard end > scanner.position else { throw failure("expected a key") }
            scanner.position = end
            let next = scanner.byte(ahead: 1)
            // A point before anything else is not the path's: in `$x.%K` an argument follows.
            guard scanner.current == UInt8(ascii: "."),
                FormatScanner.isNameStart(next) || next == UInt8(ascii: "@")
                    || next == UInt8(ascii: "#")
            else { break }
            scanner.position += 1
        }
        let path = scanner.text(start..<scanner.position)
        return isPlain ? path : path.filter { $0 != "#" }
    }

    private mutating func primary() throws -> Term {
        scanner.skipSpace()
        guard !scanner.isAtEnd else { throw failure("expected a value") }
        switch scanner.current {
        case UInt8(ascii: "("):
            scanner.position += 1
            let term = try or()
            try expect(UInt8(ascii: ")"))
            return term
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let start = scanner.position
            guard let text = scanner.takeString() else {
                throw failure(
                    scanner.isAtEnd
                        ? "expected the quotation mark that ends the string"
                        : "expected a valid escape",
                    at: scanner.isAtEnd ? start : nil
                )
            }
            return .expression(NSExpression(.constant(text)))
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number()
        case UInt8(ascii: ".") where FormatScanner.isDigit(scanner.byte(ahead: 1)):
            return try number()
        case UInt8(ascii: "{"):
            scanner.position += 1
            return .expression(NSExpression(.aggregate(try list(closing: UInt8(ascii: "}")))))
        case UInt8(ascii: "$"):
            scanner.position += 1
            return .expression(NSExpression(.variable(try name("the name of a variable"))))
        case UInt8(ascii: "%"):
            return try specifier()
        case UInt8(ascii: "@"), UInt8(ascii: "#"):
            return .expression(NSExpression(.keyPath(operand: nil, path: try keyPath())))
        default:
            return try named()
        }
    }

    private mutating func number() throws -> Term {
        guard let value = scanner.takeNumber() else { throw failure("expected a number") }
        return .expression(NSExpression(.constant(value)))
    }

    mutating func name(_ expectation: String) throws -> String {
        let end = scanner.endOfName()
        guard end > scanner.position else { throw failure("expected \(expectation)") }
        defer { scanner.position = end }
        return scanner.text(scanner.position..<end)
    }

    /// Expressions with commas between them, up to a closing byte.
    mutating func list(closing: UInt8) throws -> [NSExpression] {
        var expressions: [NSExpression] = []
        scanner.skipSpace()
        if scanner.take(closing) { return [] }
        repeat {
            scanner.skipSpace()
            let start = scanner.position
            expressions.append(try requireExpression(try or(), at: start))
            scanner.skipSpace()
        } while scanner.take(UInt8(ascii: ","))
        guard scanner.take(closing) else {
            throw failure("expected a comma or \(Character(Unicode.Scalar(closing)))")
        }
        return expressions
    }

    /// A keyword, a function or a key path.
    private mutating func named() throws -> Term {
        let end = scanner.endOfName()
        guard end > scanner.position else { throw failure("expected a value") }
        if let keyword = scanner.keyword(endingAt: end) {
            if let term = try constant(keyword, end: end) { return term }
            if let term = try form(keyword, end: end) { return term }
            if keyword.isReservedEverywhere {
                throw failure(
                    "expected a value; write #\(scanner.text(scanner.position..<end)) for a key "
                        + "of that name"
                )
            }
        }
        // A property may have the name of a function, so only a parenthesis behind it makes it one.
        if let term = try function(nameEnd: end) { return term }
        return .expression(NSExpression(.keyPath(operand: nil, path: try keyPath())))
    }

    private mutating func constant(_ keyword: FormatKeyword, end: Int) throws -> Term? {
        let term: Term
        switch keyword {
        case .null, .nil: term = .expression(NSExpression(.constant(nil)))
        case .true, .yes: term = .expression(NSExpression(.constant(true)))
        case .false, .no: term = .expression(NSExpression(.constant(false)))
        case .self: term = .expression(NSExpression(.evaluatedObject))
        case .truePredicate: term = .predicate(NSPredicate(value: true))
        case .falsePredicate: term = .predicate(NSPredicate(value: false))
        case .anyKey: term = .expression(NSExpression(.anyKey))
        default: return nil
        }
        scanner.position = end
        return term
    }
}
