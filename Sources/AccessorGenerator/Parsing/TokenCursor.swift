/// A place among the tokens of a file.
struct TokenCursor {
    let source: SourceText
    private(set) var index = 0

    init(_ source: SourceText) { self.source = source }

    var current: Token? { token(0) }
    func token(_ offset: Int) -> Token? {
        index + offset < source.tokens.count ? source.tokens[index + offset] : nil
    }

    /// The word at an offset from here; nil if there is none.
    func word(_ offset: Int = 0) -> String? {
        guard let token = token(offset), token.kind == .word else { return nil }
        return source.text(token.range)
    }

    func isAt(_ mark: Character, _ offset: Int = 0) -> Bool {
        guard let byte = mark.asciiValue else { return false }
        return token(offset)?.kind == .mark(byte)
    }

    /// Whether the token stands right behind the one before it.
    func isAdjacent(_ offset: Int = 0) -> Bool {
        guard let token = token(offset), let last = self.token(offset - 1), index + offset > 0
        else { return false }
        return last.range.upperBound == token.range.lowerBound
    }

    mutating func advance() { index += 1 }

    mutating func take(_ mark: Character) -> Bool {
        guard isAt(mark) else { return false }
        advance()
        return true
    }

    mutating func takeWord() -> String? {
        guard let word = word() else { return nil }
        advance()
        return word
    }

    /// What the source says from a token up to the one here.
    func text(from start: Int) -> String {
        guard start < index else { return "" }
        let tokens = source.tokens
        return source.text(tokens[start].range.lowerBound..<tokens[index - 1].range.upperBound)
    }

    // MARK: Groups

    /// Skips one token, or all of a group in brackets. Gives the place of an `@NSManaged` in it.
    @discardableResult
    mutating func skipGroup() -> Token? {
        guard isAt("(") || isAt("[") || isAt("{") else {
            advance()
            return nil
        }
        var depth = 0
        var managed: Token?
        while let token = current {
            if isAt("(") || isAt("[") || isAt("{") { depth += 1 }
            if isAt(")") || isAt("]") || isAt("}") { depth -= 1 }
            if isAt("@"), word(1) == "NSManaged" { managed = managed ?? token }
            advance()
            if depth == 0 { break }
        }
        return managed
    }

    /// Skips `<…>`, in which arrows don't count.
    mutating func skipAngles() {
        var depth = 0
        while current != nil {
            if isAt("<") { depth += 1 }
            if isAt(">"), !(isAt("-", -1) && isAdjacent()) { depth -= 1 }
            if isAt("(") || isAt("[") { skipGroup() } else { advance() }
            if depth == 0 { break }
        }
    }

    // MARK: Types

    /// Skips a type. "The Swift Programming Language", Types, has the grammar.
    mutating func skipType() {
        skipTypePrefixes()
        skipTypePrimary()
        while true {
            if isAt("?") || isAt("!") {
                guard isAdjacent() else { return }
                advance()
            } else if isAt("."), word(1) != nil || isAt("(", 1) {
                advance()
                skipTypePrimary()
            } else if isAt("&") {
                advance()
                skipTypePrefixes()
                skipTypePrimary()
            } else if isAt("-"), isAt(">", 1) {
                advance()
                advance()
                skipType()
            } else if let word = word(), ["throws", "async", "rethrows"].contains(word),
                isAt("-", 1) || self.word(1) == "throws" || isAt("(", 1)
            {
                advance()
                if isAt("(") { skipGroup() }
            } else {
                return
            }
        }
    }

    private mutating func skipTypePrefixes() {
        let words: Set<String> = [
            "any", "some", "inout", "borrowing", "consuming", "sending", "__owned", "__shared",
            "isolated", "nonisolated", "repeat", "each",
        ]
        while true {
            if isAt("@") {
                advance()
                advance()
                if isAt("("), isAdjacent() { skipGroup() }
            } else if isAt("~") {
                advance()
            } else if let word = word(), words.contains(word),
                token(1)?.kind == .word
                    || isAt("(", 1) || isAt("[", 1) || isAt("@", 1)
            {
                advance()
            } else {
                return
            }
        }
    }

    private mutating func skipTypePrimary() {
        if isAt("(") || isAt("[") {
            skipGroup()
        } else if current?.kind == .word {
            advance()
            if isAt("<") { skipAngles() }
        }
    }
}
