import SwiftSource

/// A call that is a statement of its own, or what a statement assigns or returns: nothing follows it
/// in its line.
struct CallStatement {
    /// One argument.
    struct Argument {
        let label: String
        let bytes: Range<Int>
    }

    let tokens: ClosedRange<Int>
    /// What stands before the call, such as `timer = `; empty for a statement of its own.
    let prefix: Range<Int>
    /// What is called, such as `NotificationCenter.default.addObserver`.
    let head: Range<Int>
    let method: String
    let arguments: [Argument]

    /// The statement whose arguments hold a token, or nil if the call is part of something else.
    init?(around index: Int, in source: SwiftSource) {
        guard let opening = Self.opening(around: index, in: source),
            let closing = source.closingBracket(of: opening),
            let method = source.word(opening - 1),
            let list = Self.arguments(opening, closing, source)
        else { return nil }
        var start = opening - 1
        while let previous = Self.step(back: start, in: source) { start = previous }
        // The form for Linux goes into lines of its own beside the call, so nothing else may share
        // its lines.
        guard let first = Self.lineStart(of: start, in: source), Self.endsLine(closing, in: source)
        else { return nil }
        tokens = first...closing
        prefix = source.tokens[first].range.lowerBound..<source.tokens[start].range.lowerBound
        head = source.tokens[start].range.lowerBound..<source.tokens[opening - 1].range.upperBound
        self.method = method
        arguments = list
    }

    /// The parenthesis that the token is directly in.
    private static func opening(around index: Int, in source: SwiftSource) -> Int? {
        var position = index - 1
        while position >= 0 {
            if source.isToken(position, ")") || source.isToken(position, "}")
                || source.isToken(position, "]")
            {
                guard let start = source.openingBracket(of: position) else { return nil }
                position = start
            } else if source.isToken(position, "(") {
                return position
            } else if source.isToken(position, "{") || source.isToken(position, "[") {
                // In a closure or an array the token is no argument of the call around it.
                return nil
            }
            position -= 1
        }
        return nil
    }

    private static func isOpening(_ index: Int, _ source: SwiftSource) -> Bool {
        source.isToken(index, "(") || source.isToken(index, "[") || source.isToken(index, "{")
    }

    /// The word before a word in `a.b?.c`.
    private static func step(back index: Int, in source: SwiftSource) -> Int? {
        guard source.isToken(index - 1, ".") || source.isToken(index - 1, "?.") else { return nil }
        if source.word(index - 2) != nil { return index - 2 }
        // `a().b` begins where `a` does; what else may stand before a dot is not looked at.
        guard source.isToken(index - 2, ")"),
            let opening = source.openingBracket(of: index - 2),
            source.word(opening - 1) != nil
        else { return nil }
        return opening - 1
    }

    /// The first token of the line, if only an assignment's left side or `return` is before a token.
    private static func lineStart(of index: Int, in source: SwiftSource) -> Int? {
        var start = index
        while !source.tokens[start].isFirstInLine {
            start -= 1
            let isPart =
                source.word(start) != nil || source.isToken(start, ".")
                || source.isToken(start, "=") || source.isToken(start, "?.")
            guard isPart else { return nil }
        }
        return start
    }

    private static func endsLine(_ index: Int, in source: SwiftSource) -> Bool {
        guard index + 1 < source.tokens.count else { return true }
        let next = source.tokens[index + 1]
        // A line that begins with a dot goes on with the call, whose result it uses.
        return next.isFirstInLine && !source.text(next).hasPrefix(".")
    }

    private static func arguments(
        _ opening: Int,
        _ closing: Int,
        _ source: SwiftSource
    ) -> [Argument]? {
        var result: [Argument] = []
        var start = opening + 1
        var index = start
        while index <= closing {
            if source.isToken(index, ",") || index == closing {
                guard start < index else { return nil }
                let isLabelled = source.word(start) != nil && source.isToken(start + 1, ":")
                let first = isLabelled ? start + 2 : start
                guard first < index else { return nil }
                let bytes =
                    source.tokens[first].range
                    .lowerBound..<source.tokens[index - 1].range.upperBound
                let label = isLabelled ? source.word(start) ?? "" : ""
                result.append(Argument(label: label, bytes: bytes))
                start = index + 1
            } else if isOpening(index, source) {
                guard let end = source.closingBracket(of: index) else { return nil }
                index = end
            }
            index += 1
        }
        return result
    }
}
