import Foundation

/// The rules for what looks like a call: functions, `SUBQUERY`, `CAST`, `TERNARY`, `FUNCTION`,
/// `FETCH`.
extension PredicateParser {
    /// The functions' short names, such as `average` for `average:`.
    private static let functionsByShortName: [String: QueryFunction] = {
        var byName: [String: QueryFunction] = [:]
        for function in QueryFunction.allCases where function != .cast && function != .element {
            let name = function.rawValue.prefix { $0 != ":" }
            // `from:subtract:` is called by what it does.
            byName[name == "from" ? "subtract" : String(name)] = function
        }
        return byName
    }()

    /// A function call, if a parenthesis follows the name; the name may have its colons.
    mutating func function(nameEnd: Int) throws -> Term? {
        let start = scanner.position
        // The printer writes functions with their colons, as in `uppercase:(name)`.
        var end = nameEnd
        while end < scanner.bytes.count,
            FormatScanner.isNamePart(scanner.bytes[end]) || scanner.bytes[end] == UInt8(ascii: ":")
        {
            end += 1
        }
        guard end < scanner.bytes.count, scanner.bytes[end] == UInt8(ascii: "(") else { return nil }
        let name = scanner.text(start..<end)
        guard
            let function = QueryFunction(rawValue: name) ?? Self.functionsByShortName[name]
        else {
            throw failure("expected the name of a known function, not \(name)", at: start)
        }
        scanner.position = end + 1
        try descend()
        defer { ascend() }
        let arguments = try list(closing: UInt8(ascii: ")"))
        try check(arguments.count, for: function, at: start)
        return .expression(NSExpression(.function(name: function.rawValue, arguments: arguments)))
    }

    private func check(_ count: Int, for function: QueryFunction, at position: Int) throws {
        // An aggregate takes one collection, or the values themselves.
        let isRight = function.isAggregate ? count >= 1 : count == function.argumentCount
        guard isRight else {
            throw failure(
                "expected \(function.argumentCount) arguments for \(function.rawValue), "
                    + "not \(count)",
                at: position
            )
        }
    }

    /// A special form, if a parenthesis follows its keyword.
    mutating func form(_ keyword: FormatKeyword, end: Int) throws -> Term? {
        var open = end
        while open < scanner.bytes.count, scanner.bytes[open] == 0x20 { open += 1 }
        guard open < scanner.bytes.count, scanner.bytes[open] == UInt8(ascii: "(") else {
            return nil
        }
        switch keyword {
        case .subquery, .cast, .function, .ternary, .fetch: break
        default: return nil
        }
        let start = scanner.position
        scanner.position = open + 1
        try descend()
        defer { ascend() }
        switch keyword {
        case .subquery: return .expression(try subquery())
        case .cast: return .expression(try cast())
        case .ternary: return .expression(try ternary())
        case .fetch: return .expression(try fetch())
        default: return .expression(try selectorCall(at: start))
        }
    }

    /// `collection, $variable, predicate)`
    private mutating func subquery() throws -> NSExpression {
        let collection = try requireExpression(try or(), at: scanner.position)
        try expect(UInt8(ascii: ","))
        try expect(UInt8(ascii: "$"))
        let variable = try name("the name of a variable")
        try expect(UInt8(ascii: ","))
        let predicate = try requirePredicate(try or(), at: scanner.position)
        try expect(UInt8(ascii: ")"))
        return NSExpression(
            .subquery(collection: collection, variable: variable, predicate: predicate)
        )
    }

    /// `value, "type")`
    private mutating func cast() throws -> NSExpression {
        let value = try requireExpression(try or(), at: scanner.position)
        try expect(UInt8(ascii: ","))
        scanner.skipSpace()
        let start = scanner.position
        let type = try requireExpression(try or(), at: start)
        try expect(UInt8(ascii: ")"))
        guard case .constant(let constant) = type.node, let name = constant as? String,
            let target = CastTarget(name: name)
        else {
            throw failure("expected \(CastTarget.list)", at: start)
        }
        // The printer writes dates and decimals as casts of literals. Read back, they must be
        // constants again, or the predicate would not equal the one that was printed.
        if case .constant(let plain) = value.node, let literal = target.literal(plain) {
            return NSExpression(.constant(literal))
        }
        return NSExpression(
            .function(name: QueryFunction.cast.rawValue, arguments: [value, type])
        )
    }

    /// `predicate, value, value)`
    private mutating func ternary() throws -> NSExpression {
        let predicate = try requirePredicate(try or(), at: scanner.position)
        try expect(UInt8(ascii: ","))
        let first = try requireExpression(try or(), at: scanner.position)
        try expect(UInt8(ascii: ","))
        let second = try requireExpression(try or(), at: scanner.position)
        try expect(UInt8(ascii: ")"))
        return NSExpression(.conditional(predicate, first, second))
    }

    /// `request, context, YES or NO)`
    private mutating func fetch() throws -> NSExpression {
        let request = try requireExpression(try or(), at: scanner.position)
        try expect(UInt8(ascii: ","))
        let context = try requireExpression(try or(), at: scanner.position)
        try expect(UInt8(ascii: ","))
        scanner.skipSpace()
        let start = scanner.position
        let flag = try requireExpression(try or(), at: start)
        try expect(UInt8(ascii: ")"))
        guard case .constant(let constant) = flag.node, let countsOnly = constant as? Bool else {
            throw failure("expected YES or NO", at: start)
        }
        return NSFetchRequestExpression(
            .fetch(request: request, context: context, countsOnly: countsOnly)
        )
    }

    /// `target, "selector:", value …)`: only the known functions, so that no string can call
    /// arbitrary code. In an expression a variable may be the target: mapping models call their
    /// migration manager so, and it knows what may be called.
    private mutating func selectorCall(at start: Int) throws -> NSExpression {
        var arguments = try list(closing: UInt8(ascii: ")"))
        guard arguments.count >= 2, case .constant(let constant) = arguments[1].node,
            let name = constant as? String
        else {
            throw failure("expected a target and the name of a selector in FUNCTION", at: start)
        }
        // Without the selector the list is as functions have it: the target is the first argument.
        arguments.remove(at: 1)
        // What the printer writes for paths whose keys are no names.
        if name == "valueForKeyPath:" || name == "valueForKey:" {
            guard arguments.count == 2, case .constant(let constant) = arguments[1].node,
                let path = constant as? String
            else { throw failure("expected a key in FUNCTION", at: start) }
            return Self.appending(path, to: arguments[0])
        }
        if allowsCalls, case .variable = arguments[0].node {
            return NSExpression(.function(name: name, arguments: arguments))
        }
        guard let function = QueryFunction(rawValue: name), function != .element else {
            throw failure("expected the selector of a known function, not \(name)", at: start)
        }
        try check(arguments.count, for: function, at: start)
        return NSExpression(.function(name: name, arguments: arguments))
    }
}
