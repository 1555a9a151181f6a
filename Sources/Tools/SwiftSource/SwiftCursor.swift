/// A place in a source from which a parser reads on.
///
/// A run of operator characters is read character by character, as the grammar of types needs it:
/// `Set<Set<Int>>?` ends with three signs and one token. What is ahead counts likewise.
///
/// > Threading: A value; any thread.
package struct SwiftCursor: Sendable {
    /// What is read.
    package let source: SwiftSource
    /// The token that it stands at, or within.
    package private(set) var index: Int
    /// How many characters of a run of operators are behind it.
    private var skipped = 0

    /// A cursor at a token.
    package init(_ source: SwiftSource, at index: Int = 0) {
        self.source = source
        self.index = index
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { index >= source.tokens.count }

    /// The token that it stands at, or within; nil at the end.
    package var current: SwiftToken? { isAtEnd ? nil : source.tokens[index] }

    /// Where it stands, in bytes.
    package var offset: Int {
        isAtEnd ? source.bytes.count : source.tokens[index].range.lowerBound + skipped
    }

    /// Where what is before it ends, in bytes.
    private var endOfPrevious: Int {
        if skipped > 0 { return offset }
        return index > 0 ? source.tokens[index - 1].range.upperBound : 0
    }

    /// Whether nothing, not even white space, is before it since the last token or sign.
    package var isAdjacent: Bool { offset == endOfPrevious }

    // MARK: Looking

    /// Whether a sign of one character stands some places ahead.
    package func isAt(_ sign: Unicode.Scalar, ahead count: Int = 0) -> Bool {
        let (index, skipped) = place(ahead: count)
        guard index < source.tokens.count, source.tokens[index].kind == .sign else { return false }
        return source.bytes[source.tokens[index].range.lowerBound + skipped] == sign.value
    }

    /// Whether `->` stands here.
    package var isAtArrow: Bool { isAt("-") && isAt(">", ahead: 1) }

    /// The word some places ahead, with its backticks; nil if there is none.
    package func word(ahead count: Int = 0) -> String? {
        let (index, _) = place(ahead: count)
        guard index < source.tokens.count, source.tokens[index].kind == .word else { return nil }
        return source.text(source.tokens[index])
    }

    private func place(ahead count: Int) -> (index: Int, skipped: Int) {
        var place = (index: index, skipped: skipped)
        var count = count
        while count > 0, place.index < source.tokens.count {
            let token = source.tokens[place.index]
            // Only signs are read in parts: a word or literal is one step however long it is.
            place =
                token.kind == .sign && place.skipped + 1 < token.range.count
                ? (place.index, place.skipped + 1) : (place.index + 1, 0)
            count -= 1
        }
        return place
    }

    /// The text from an offset up to here, without what is between the last token and the cursor.
    package func text(from start: Int) -> String {
        start < endOfPrevious ? source.text(start..<endOfPrevious) : ""
    }

    // MARK: Reading

    /// Goes on by one token, or by one character of a run of operators.
    package mutating func advance() { (index, skipped) = place(ahead: 1) }

    /// Takes a sign of one character, if it stands here.
    package mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard isAt(sign) else { return false }
        advance()
        return true
    }

    /// Takes the word that stands here, with its backticks.
    package mutating func takeWord() -> String? {
        guard let word = word() else { return nil }
        advance()
        return word
    }

    /// Takes a modifier of a declaration with its argument, such as `private(set)`; nil if none, or
    /// `class`, stands here.
    package mutating func takeModifier() -> String? {
        guard let word = word(), SwiftKeywords.modifiers.contains(word) else { return nil }
        advance()
        if isAt("("), isAdjacent { skipGroup() }
        return word
    }

    /// Skips what is left of a line.
    package mutating func skipLine() {
        guard let line = current?.line else { return }
        while let token = current, token.line == line { move(to: index + 1) }
    }

    /// Skips what stands here, or all of a group in brackets.
    package mutating func skipGroup() {
        guard isAt("(") || isAt("[") || isAt("{") else { return advance() }
        // A group without an end takes all that is left, so that every parser comes to the end.
        move(to: (source.closingBracket(of: index) ?? source.tokens.count - 1) + 1)
    }

    private mutating func move(to index: Int) {
        self.index = index
        skipped = 0
    }
}
