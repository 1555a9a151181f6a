/// Source: "Types" and "Attributes" in The Swift Programming Language.
extension SwiftCursor {
    /// Takes an attribute with its arguments, which stand right behind its name.
    ///
    /// - Returns: The name with those of the modules or types before it, such as `objc`; nil if no
    ///   word follows the `@`.
    @discardableResult
    package mutating func takeAttribute() -> String? {
        advance()
        guard var name = takeWord() else { return nil }
        while isAt("."), let part = word(ahead: 1) {
            name += "." + part
            advance()
            advance()
        }
        if isAt("<"), isAdjacent { skipAngles() }
        // Behind a blank the parenthesis belongs to what follows, as in `@escaping (Int) -> Void`.
        if isAt("("), isAdjacent { skipGroup() }
        return name
    }

    /// Skips `<…>`, in which arrows don't count.
    package mutating func skipAngles() {
        var depth = 0
        while !isAtEnd {
            if isAt("<") { depth += 1 }
            if isAt(">") { depth -= 1 }
            if isAtArrow {
                advance()
                advance()
            } else if isAt("(") || isAt("[") {
                skipGroup()
            } else {
                advance()
            }
            if depth == 0 { break }
        }
    }

    /// Skips a type.
    package mutating func skipType() {
        skipTypePrefixes()
        skipTypePrimary()
        while true {
            if isAt("?") || isAt("!") {
                // Behind a blank it is the question mark of `a as B ? c : d`.
                guard isAdjacent else { return }
                advance()
            } else if isAt("."), word(ahead: 1) != nil || isAt("(", ahead: 1) {
                advance()
                skipTypePrimary()
            } else if isAt("&") {
                advance()
                skipTypePrefixes()
                skipTypePrimary()
            } else if isAtArrow {
                advance()
                advance()
                skipType()
            } else if isAtEffect {
                advance()
                if isAt("(") { skipGroup() }
            } else {
                return
            }
        }
    }

    /// Whether a word stands here that says what calling a function does.
    private var isAtEffect: Bool {
        guard let word = word(), ["throws", "async", "rethrows"].contains(word) else {
            return false
        }
        // `async` may be a name; before an arrow, or what else only an effect precedes, it is none.
        return isAt("-", ahead: 1) || isAt("(", ahead: 1) || self.word(ahead: 1) == "throws"
    }

    private static let typePrefixes: Set<String> = [
        "any", "some", "inout", "borrowing", "consuming", "sending", "__owned", "__shared",
        "isolated", "nonisolated", "repeat", "each",
    ]

    private mutating func skipTypePrefixes() {
        while true {
            if isAt("@") {
                takeAttribute()
            } else if isAt("~") {
                advance()
            } else if let word = word(), Self.typePrefixes.contains(word),
                // Without a type behind them, words such as `each` are names of types themselves.
                self.word(ahead: 1) != nil
                    || isAt("(", ahead: 1) || isAt("[", ahead: 1) || isAt("@", ahead: 1)
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
