import SwiftSource

/// The declarations of a file, or of a type's body, one after the other.
struct DeclarationList {
    /// One declaration, with what it contains.
    struct Declaration {
        let tokens: ClosedRange<Int>
        /// The braces of a type or extension, whose members are declarations again; nil for others.
        let body: ClosedRange<Int>?
    }

    let declarations: [Declaration]

    /// - Parameter range: Tokens on one level: of the whole file, or between a type's braces.
    init(_ range: Range<Int>, in source: SwiftSource) {
        var starts: [Int] = []
        var ends: [Int] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if source.isConditional(index) {
                // A directive is part of no declaration: what wraps one would take half of an `#if`
                // along.
                if starts.count > ends.count { ends.append(index - 1) }
                let line = source.tokens[index].line
                while index < range.upperBound, source.tokens[index].line == line { index += 1 }
                continue
            }
            if Self.begins(at: index, in: source) {
                if starts.count > ends.count { ends.append(index - 1) }
                starts.append(index)
                // Attributes and modifiers may have lines of their own; going on behind them keeps
                // those and what they are of one declaration.
                index = Self.introducer(from: index, before: range.upperBound, in: source)
            }
            // Brackets are skipped, so that local declarations don't count on this level.
            index = (source.closingBracket(of: index) ?? index) + 1
        }
        if starts.count > ends.count { ends.append(range.upperBound - 1) }
        declarations = zip(starts, ends).map { start, end in
            let introducer = Self.introducer(from: start, before: range.upperBound, in: source)
            return Declaration(
                tokens: start...end,
                body: Self.body(of: introducer, through: end, in: source)
            )
        }
    }

    /// What a declaration says before its body: all of it, if it has none.
    static func header(_ declaration: Declaration) -> Range<Int> {
        declaration.tokens
            .lowerBound..<(declaration.body?.lowerBound ?? declaration.tokens.upperBound + 1)
    }

    private static func begins(at index: Int, in source: SwiftSource) -> Bool {
        guard source.tokens[index].isFirstInLine else { return false }
        if DeclarationPrefix(source, at: index) != nil { return true }
        return source.word(index).map(SwiftKeywords.introducers.contains) ?? false
    }

    /// The word that says what is declared.
    private static func introducer(from start: Int, before end: Int, in source: SwiftSource) -> Int
    {
        min(DeclarationPrefix(source, at: start)?.end ?? start, end - 1)
    }

    private static func body(
        of introducer: Int,
        through end: Int,
        in source: SwiftSource
    ) -> ClosedRange<Int>? {
        // `class func` and `class var` have no members.
        guard let word = source.word(introducer), SwiftKeywords.types.contains(word),
            word != "protocol",
            source.word(introducer + 1).map({ !SwiftKeywords.introducers.contains($0) }) == true,
            let opening = (introducer...end).first(where: { source.isToken($0, "{") }),
            let closing = source.closingBracket(of: opening)
        else { return nil }
        return opening...closing
    }
}
