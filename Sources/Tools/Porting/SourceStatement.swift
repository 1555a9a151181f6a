import SwiftSource

/// A statement, or a declaration without members, that has its lines to itself.
struct SourceStatement {
    let tokens: ClosedRange<Int>

    /// The longest statement that is repeated for another platform, in lines.
    private static let maximumLineCount = 12

    /// The innermost one around a token; nil if it is too long to be repeated.
    init?(around index: Int, in source: SwiftSource) {
        var index = index
        while true {
            let opening = Self.brace(around: index, in: source)
            let end = opening.flatMap { source.closingBracket(of: $0) } ?? source.tokens.count
            guard
                let start = Self.start(of: index, behind: opening ?? -1, in: source),
                let last = Self.last(of: index, before: end, in: source)
            else { return nil }
            // Directives have lines of their own, so what they wrap has to fill its lines.
            let isAlone =
                source.tokens[start].isFirstInLine
                && (last + 1 == source.tokens.count || source.tokens[last + 1].isFirstInLine)
            if isAlone {
                let lineCount = source.tokens[last].line - source.tokens[start].line + 1
                let holdsDirective = (start...last).contains { source.isConditional($0) }
                guard lineCount <= Self.maximumLineCount, !holdsDirective else { return nil }
                tokens = start...last
                return
            }
            guard let opening else { return nil }
            // A block on one line belongs to the statement around it.
            index = opening
        }
    }

    /// The brace that a token is in.
    private static func brace(around index: Int, in source: SwiftSource) -> Int? {
        var position = index - 1
        while position >= 0 {
            if let opening = source.openingBracket(of: position) {
                position = opening
            } else if source.isToken(position, "{") {
                return position
            }
            position -= 1
        }
        return nil
    }

    private static func start(of index: Int, behind limit: Int, in source: SwiftSource) -> Int? {
        var position = index
        while position > limit + 1 {
            let previous = position - 1
            if source.isToken(previous, ";") || source.isConditional(previous) { return position }
            if source.tokens[position].isFirstInLine, isOutermost(position, above: limit, source),
                begins(at: position, in: source)
            {
                return position
            }
            position = source.openingBracket(of: previous) ?? previous
        }
        return position > limit ? position : nil
    }

    /// Whether no parenthesis between a brace and a token is open there.
    private static func isOutermost(
        _ index: Int,
        above limit: Int,
        _ source: SwiftSource
    ) -> Bool {
        var position = index - 1
        while position > limit {
            if let opening = source.openingBracket(of: position) {
                position = opening
            } else if source.isToken(position, "(") || source.isToken(position, "[") {
                return false
            }
            position -= 1
        }
        return true
    }

    private static func last(of index: Int, before end: Int, in source: SwiftSource) -> Int? {
        // Out of the parentheses that the token is in.
        var position = index
        while let closing = parenthesis(behind: position, before: end, in: source) {
            position = closing
        }
        while position < end {
            let current = source.closingBracket(of: position) ?? position
            let next = current + 1
            if next >= end || source.isToken(next, ";") || source.isConditional(next) {
                return current
            }
            if source.tokens[next].isFirstInLine, begins(at: next, in: source) { return current }
            position = next
        }
        return nil
    }

    /// The parenthesis that closes around a token.
    private static func parenthesis(
        behind index: Int,
        before end: Int,
        in source: SwiftSource
    ) -> Int? {
        var position = (source.closingBracket(of: index) ?? index) + 1
        while position < end {
            if source.openingBracket(of: position) != nil {
                return source.isToken(position, "}") ? nil : position
            }
            position = (source.closingBracket(of: position) ?? position) + 1
        }
        return nil
    }

    /// Whether a token that is the first in its line does not go on with the line before.
    private static func begins(at index: Int, in source: SwiftSource) -> Bool {
        !continues(index, in: source) && !isContinued(index - 1, in: source)
    }

    private static func continues(_ index: Int, in source: SwiftSource) -> Bool {
        if let word = source.word(index) { return ["else", "as", "is", "in"].contains(word) }
        guard source.tokens[index].kind == .sign else { return false }
        // A sign at the beginning of a line is an operator or the dot of a member, but for these,
        // which may begin a statement.
        return !source.isToken(index, "@") && !source.isToken(index, "(")
            && !source.isToken(index, "[") && !source.isToken(index, "{")
    }

    private static func isContinued(_ index: Int, in source: SwiftSource) -> Bool {
        guard index >= 0 else { return false }
        if let word = source.word(index) {
            return ["return", "in", "throw", "else"].contains(word)
        }
        guard source.tokens[index].kind == .sign else { return false }
        // These may end an expression or a type; any other sign still asks for an operand.
        return !source.isToken(index, ")") && !source.isToken(index, "]")
            && !source.isToken(index, "}") && !source.isToken(index, "{")
            && !source.isToken(index, "?") && !source.isToken(index, "!")
            && !source.isToken(index, ">") && !source.isToken(index, ";")
    }
}
