import SwiftSource

/// The expression in front of a cast, which binds more tightly than all operators but arithmetic
/// ones.
enum Operand {
    /// The first token of the expression that ends before a token; nil if its shape is not known.
    static func start(before end: Int, in source: SwiftSource) -> Int? {
        var index = end - 1
        while let first = primary(endingAt: index, in: source) {
            index = first
            if source.isToken(first - 1, ".") || source.isToken(first - 1, "?.")
                || source.isToken(first - 1, "!.")
            {
                // `.member` without an expression before it has no type of its own.
                guard endsExpression(first - 2, in: source) else { return nil }
                index = first - 2
            } else {
                return stands(behind: first - 1, in: source) || source.tokens[first].isFirstInLine
                    ? first : nil
            }
        }
        return nil
    }

    /// The first token of a name, literal, or of brackets, with what is called or subscripted.
    private static func primary(endingAt end: Int, in source: SwiftSource) -> Int? {
        var index = end
        while index >= 0 {
            if isPostfix(index, in: source) {
                index -= 1
            } else if let opening = source.openingBracket(of: index) {
                // A brace may end a trailing closure or a statement, which tokens alone don't tell.
                guard !source.isToken(index, "}") else { return nil }
                // Brackets that stand right behind an expression call or subscript it.
                if isAdjacent(opening, in: source), source.isToken(opening - 1, "}") { return nil }
                guard isAdjacent(opening, in: source), endsExpression(opening - 1, in: source)
                else { return opening }
                index = opening - 1
            } else if source.isToken(index, ">") {
                guard let name = GenericArguments.name(endingAt: index, in: source) else {
                    return nil
                }
                index = name
                return index
            } else {
                return source.word(index) != nil || source.tokens[index].kind == .number
                    ? index : nil
            }
        }
        return nil
    }

    private static func isPostfix(_ index: Int, in source: SwiftSource) -> Bool {
        (source.isToken(index, "!") || source.isToken(index, "?"))
            // Behind a blank, `?` is that of `a ? b : c`.
            && isAdjacent(index, in: source)
    }

    private static func isAdjacent(_ index: Int, in source: SwiftSource) -> Bool {
        index > 0
            && source.tokens[index - 1].range.upperBound == source.tokens[index].range.lowerBound
    }

    /// Whether an expression may end with a token.
    private static func endsExpression(_ index: Int, in source: SwiftSource) -> Bool {
        guard source.tokens.indices.contains(index) else { return false }
        if let word = source.word(index) { return !keywords.contains(word) }
        return source.isToken(index, ")") || source.isToken(index, "]")
            || source.isToken(index, ">") || isPostfix(index, in: source)
    }

    private static let keywords: Set<String> = [
        "return", "in", "try", "await", "case", "else", "if", "guard", "while", "where", "throw",
        "switch", "as", "is",
    ]

    /// Whether an expression may begin behind a token.
    private static func stands(behind index: Int, in source: SwiftSource) -> Bool {
        guard source.tokens.indices.contains(index) else { return true }
        if let word = source.word(index) { return keywords.contains(word) }
        // Signs of arithmetic are not among them: a cast takes in all that these combine.
        let signs: [StaticString] = [
            "=", "(", "[", "{", "}", ",", ":", ";", "??", "&&", "||", "==", "!=", "===", "!==",
        ]
        if signs.contains(where: { source.isToken(index, $0) }) { return true }
        // `try?` and the question mark of a choice.
        return source.isToken(index, "?") || source.isToken(index, "!")
            ? source.isToken(index - 1, "try") || !isAdjacent(index, in: source) : false
    }
}

/// Generic arguments, `<…>`, which the scanner does not pair.
enum GenericArguments {
    /// The offset behind the arguments that a token opens.
    static func end(from opening: Int, in source: SwiftSource) -> Int? {
        // Bytes are counted, not tokens: the scanner takes `>>?` for one sign.
        var depth = 0
        var offset = source.tokens[opening].range.lowerBound
        while offset < source.bytes.count {
            switch source.bytes[offset] {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"):
                if source.bytes[offset - 1] != UInt8(ascii: "-") { depth -= 1 }
            // No argument holds these: the sign is "less than".
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ";"): return nil
            default: break
            }
            offset += 1
            if depth == 0 { return offset }
        }
        return nil
    }

    /// The word in front of the arguments that end with a token.
    static func name(endingAt closing: Int, in source: SwiftSource) -> Int? {
        var index = closing
        while index > 0 {
            index -= 1
            guard source.isToken(index, "<") else { continue }
            let end = end(from: index, in: source)
            if end == source.tokens[closing].range.upperBound {
                return source.word(index - 1) == nil ? nil : index - 1
            }
        }
        return nil
    }
}
