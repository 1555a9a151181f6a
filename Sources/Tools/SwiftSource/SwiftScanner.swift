/// Takes Swift source apart into tokens.
struct SwiftScanner {
    let bytes: [UInt8]
    var position = 0
    var line = 1
    var tokens: [SwiftToken] = []
    private(set) var comments: [Range<Int>] = []
    var unfinished: SwiftUnfinished?
    private var lineHasToken = false
    /// Open parentheses; nil for those of plain code.
    private var parentheses: [Interpolation?] = []

    /// An interpolation in a string literal, which goes on behind it.
    private struct Interpolation {
        let delimiter: SwiftStringDelimiter
        let offset: Int
        let line: Int
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A token takes about five bytes of usual source.
        tokens.reserveCapacity(bytes.count / 5)
    }

    mutating func scan() {
        skipShebang()
        // What follows a literal without an end may be its text, so it is not read as code.
        while unfinished == nil, let next = skipBlanks() { scanToken(next) }
        guard unfinished == nil, let open = parentheses.last(where: { $0 != nil }) ?? nil else {
            return
        }
        unfinished = SwiftUnfinished(kind: .interpolation, offset: open.offset, line: open.line)
    }

    // MARK: Looking

    func byte(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    mutating func advance(_ count: Int = 1) {
        let end = min(position + count, bytes.count)
        while position < end {
            if bytes[position] == UInt8(ascii: "\n") {
                line += 1
                lineHasToken = false
            }
            position += 1
        }
    }

    /// Adds a token that begins at a place and ends here.
    mutating func add(_ kind: SwiftToken.Kind, from start: Int, line: Int, isFirst: Bool) {
        lineHasToken = true
        tokens.append(
            SwiftToken(kind: kind, range: start..<position, line: line, isFirstInLine: isFirst)
        )
    }

    // MARK: Blanks and comments

    private mutating func skipShebang() {
        if bytes.starts(with: "\u{FEFF}".utf8) { position = 3 }
        if byte() == UInt8(ascii: "#"), byte(1) == UInt8(ascii: "!") { skipLine() }
    }

    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    }

    /// Skips to the next token; its first byte, or nil at the end.
    private mutating func skipBlanks() -> UInt8? {
        while let next = byte() {
            if next <= UInt8(ascii: " ") {
                advance()
                continue
            }
            guard next == UInt8(ascii: "/") else { return next }
            let start = position
            switch byte(1) {
            case UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "*"): skipBlockComment()
            default: return next
            }
            comments.append(start..<position)
        }
        return nil
    }

    private mutating func skipBlockComment() {
        let start = position
        let startLine = line
        var depth = 0
        while let next = byte() {
            if next == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                // Comments nest in Swift, as they do not in C.
                depth += 1
                position += 2
            } else if next == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
                if depth == 0 { return }
            } else {
                advance()
            }
        }
        unfinished = SwiftUnfinished(kind: .comment, offset: start, line: startLine)
    }

    // MARK: Tokens

    private mutating func scanToken(_ next: UInt8) {
        let start = position
        let startLine = line
        let isFirst = !lineHasToken
        let kind: SwiftToken.Kind
        if next.isNamePart {
            kind = scanWord()
        } else if next.isDigit {
            kind = scanNumber()
        } else if let delimiter = SwiftStringDelimiter(bytes, at: position) {
            advance(delimiter.byteCount)
            scanString(delimiter, from: start, line: startLine, isFirst: isFirst)
            return
        } else if scanRegex(next) {
            kind = .regex
        } else {
            switch next {
            case UInt8(ascii: "`"): kind = scanQuotedName()
            case UInt8(ascii: "#"): kind = scanDirective()
            default: kind = scanSign(next)
            }
        }
        add(kind, from: start, line: startLine, isFirst: isFirst)
        // Plain ones are kept too, so that the one that ends an interpolation is told from those in
        // it.
        if next == UInt8(ascii: "(") { parentheses.append(nil) }
        if next == UInt8(ascii: ")"), let interpolation = parentheses.popLast() ?? nil {
            scanString(interpolation.delimiter, from: position, line: line, isFirst: false)
        }
    }

    private mutating func scanWord() -> SwiftToken.Kind {
        // Without `advance`: a word has no line ends that would have to be counted.
        while position < bytes.count, bytes[position].isWordPart { position += 1 }
        return .word
    }

    private mutating func scanQuotedName() -> SwiftToken.Kind {
        var length = 1
        while let next = byte(length), next != UInt8(ascii: "\n") {
            length += 1
            if next == UInt8(ascii: "`") {
                advance(length)
                return .word
            }
        }
        advance()
        return .sign
    }

    private mutating func scanDirective() -> SwiftToken.Kind {
        advance()
        guard let next = byte(), next.isNamePart else { return .sign }
        _ = scanWord()
        return .directive
    }

    private mutating func scanNumber() -> SwiftToken.Kind {
        while let next = byte() {
            if next.isWordPart {
                advance()
            } else if next == UInt8(ascii: "."), byte(1)?.isDigit == true {
                // Before other things the dot is no part of it, as in `1.description` and `0...9`.
                advance()
            } else {
                break
            }
        }
        return .number
    }

    private mutating func scanSign(_ first: UInt8) -> SwiftToken.Kind {
        let start = position
        advance()
        guard first.isOperator else { return .sign }
        // Operator characters that begin a comment are not part of the run: `a+/* b */c`.
        while let next = byte(), next.isOperator, !isAtComment, !isRegexBehindPrefix(start) {
            position += 1
        }
        return .sign
    }

    private var isAtComment: Bool {
        byte() == UInt8(ascii: "/")
            && (byte(1) == UInt8(ascii: "/") || byte(1) == UInt8(ascii: "*"))
    }

    // MARK: String literals

    /// Scans a literal, behind its opening quotation marks or an interpolation, to its end or its
    /// next interpolation.
    private mutating func scanString(
        _ delimiter: SwiftStringDelimiter,
        from start: Int,
        line startLine: Int,
        isFirst: Bool
    ) {
        while let next = byte() {
            if delimiter.ends(bytes, at: position) {
                advance(delimiter.byteCount)
                add(.string, from: start, line: startLine, isFirst: isFirst)
                return
            }
            if next == UInt8(ascii: "\n"), !delimiter.isMultiline { break }
            if delimiter.escapes(bytes, at: position) {
                advance(1 + delimiter.poundCount)
                // The rest of the literal is read when this parenthesis closes; the code in it
                // comes as tokens.
                if byte() == UInt8(ascii: "(") {
                    add(.string, from: start, line: startLine, isFirst: isFirst)
                    let opening = position
                    advance()
                    add(.sign, from: opening, line: line, isFirst: false)
                    parentheses.append(
                        Interpolation(delimiter: delimiter, offset: opening, line: line)
                    )
                    return
                }
            }
            advance()
        }
        unfinished = SwiftUnfinished(kind: .string, offset: start, line: startLine)
    }
}
