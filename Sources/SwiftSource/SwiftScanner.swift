/// Takes Swift source apart into tokens.
struct SwiftScanner {
    let bytes: [UInt8]
    var position = 0
    var line = 1
    var tokens: [SwiftToken] = []
    var unfinishedLine: Int?
    private var lineHasToken = false
    /// Open parentheses; those of an interpolation keep the literal that goes on behind them.
    private var parentheses: [SwiftStringDelimiter?] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func scan() {
        skipShebang()
        while unfinishedLine == nil, skipBlanks() { scanToken() }
    }

    // MARK: Looking

    func byte(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    func starts(with text: StaticString, at distance: Int = 0) -> Bool {
        text.withUTF8Buffer { bytes[min(position + distance, bytes.count)...].starts(with: $0) }
    }

    mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
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
        if starts(with: "\u{FEFF}") { position = 3 }
        if starts(with: "#!") { skipLine() }
    }

    private mutating func skipLine() {
        while let next = byte(), next != UInt8(ascii: "\n") { advance() }
    }

    /// Skips to the next token; false at the end.
    private mutating func skipBlanks() -> Bool {
        while let next = byte() {
            if next <= UInt8(ascii: " ") {
                advance()
            } else if starts(with: "//") {
                skipLine()
            } else if starts(with: "/*") {
                skipBlockComment()
            } else {
                return true
            }
        }
        return false
    }

    private mutating func skipBlockComment() {
        let start = line
        var depth = 0
        while byte() != nil {
            if starts(with: "/*") {
                depth += 1
                advance(2)
            } else if starts(with: "*/") {
                depth -= 1
                advance(2)
                if depth == 0 { return }
            } else {
                advance()
            }
        }
        unfinishedLine = start
    }

    // MARK: Tokens

    private mutating func scanToken() {
        let start = position
        let startLine = line
        let isFirst = !lineHasToken
        guard let next = byte() else { return }
        if let delimiter = SwiftStringDelimiter(bytes, at: position) {
            advance(delimiter.byteCount)
            scanString(delimiter, from: start, line: startLine, isFirst: isFirst)
            return
        }
        if scanRegex() {
            add(.regex, from: start, line: startLine, isFirst: isFirst)
            return
        }
        let kind: SwiftToken.Kind
        switch next {
        case UInt8(ascii: "`"): kind = scanQuotedName()
        case UInt8(ascii: "#"): kind = scanDirective()
        case _ where next.isDigit: kind = scanNumber()
        case _ where next.isNamePart: kind = scanWord()
        default: kind = scanSign(next)
        }
        add(kind, from: start, line: startLine, isFirst: isFirst)
        if next == UInt8(ascii: "("), kind == .sign { parentheses.append(nil) }
        if next == UInt8(ascii: ")"), let delimiter = parentheses.popLast() ?? nil {
            let rest = position
            scanString(delimiter, from: rest, line: line, isFirst: false)
        }
    }

    private mutating func scanWord() -> SwiftToken.Kind {
        while let next = byte(), next.isNamePart || next.isDigit { advance() }
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
            if next.isDigit || next.isNamePart {
                advance()
            } else if next == UInt8(ascii: "."), byte(1)?.isDigit == true {
                advance()
            } else {
                break
            }
        }
        return .number
    }

    private mutating func scanSign(_ first: UInt8) -> SwiftToken.Kind {
        advance()
        guard first.isOperator else { return .sign }
        while let next = byte(), next.isOperator, !starts(with: "//"), !starts(with: "/*") {
            advance()
        }
        return .sign
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
                if byte() == UInt8(ascii: "(") {
                    add(.string, from: start, line: startLine, isFirst: isFirst)
                    let opening = position
                    advance()
                    add(.sign, from: opening, line: line, isFirst: false)
                    parentheses.append(delimiter)
                    return
                }
            }
            advance()
        }
        unfinishedLine = startLine
    }
}
