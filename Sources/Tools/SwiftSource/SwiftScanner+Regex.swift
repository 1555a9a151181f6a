extension SwiftScanner {
    /// Scans a regular-expression literal, if one begins here.
    ///
    /// A bare `/` begins one only where an operand may stand and another one follows in its line;
    /// the rules are those of SE-0354.
    mutating func scanRegex(_ first: UInt8) -> Bool {
        if first == UInt8(ascii: "/") {
            // Behind an operand `/` divides, also where another one follows in its line.
            guard canBeginBareRegex, let length = bareRegexLength else { return false }
            advance(length)
            return true
        }
        guard first == UInt8(ascii: "#") else { return false }
        var pounds = 1
        while byte(pounds) == UInt8(ascii: "#") { pounds += 1 }
        guard byte(pounds) == UInt8(ascii: "/") else { return false }
        scanExtendedRegex(pounds: pounds)
        return true
    }

    private var canBeginBareRegex: Bool {
        guard let last = tokens.last else { return true }
        switch last.kind {
        case .number, .string, .regex, .directive: return false
        case .word: return Self.wordsBeforeOperands.contains(lastText(last))
        case .sign:
            let sign = bytes[last.range.upperBound - 1]
            // These are operands' ends in `a? / b`, and signs before an operand in `a ? /b/ : c`.
            if sign == UInt8(ascii: "?") || sign == UInt8(ascii: "!") {
                return !isBehindOperand(last.range.lowerBound)
            }
            return !")]}".utf8.contains(sign)
        }
    }

    /// Whether an operator that begins at a place stands right behind an operand: `a?` and `a!` are
    /// operands again.
    private func isBehindOperand(_ start: Int) -> Bool {
        guard start > 0 else { return false }
        return bytes[start - 1].isWordPart || ")]}\"`".utf8.contains(bytes[start - 1])
    }

    /// Whether a prefix operator that begins at a place ends here, before a literal: `!/a/`.
    func isRegexBehindPrefix(_ start: Int) -> Bool {
        byte() == UInt8(ascii: "/") && !isBehindOperand(start) && bareRegexLength != nil
    }

    private func lastText(_ token: SwiftToken) -> String {
        String(decoding: bytes[token.range], as: UTF8.self)
    }

    private static let wordsBeforeOperands: Set<String> = [
        "return", "case", "in", "try", "await", "throw", "where", "if", "guard", "while", "else",
    ]

    /// The length of a bare literal with its delimiters; nil if it does not end in its line, ends
    /// with a blank, or would close a parenthesis from outside of it.
    private var bareRegexLength: Int? {
        // With a blank behind it `/` is an operator: `a / b / c` divides twice.
        guard let first = byte(1), first > UInt8(ascii: " ") else { return nil }
        var length = 1
        var depth = 0
        var isInClass = false
        while let next = byte(length), next != UInt8(ascii: "\n") {
            length += 1
            switch next {
            case UInt8(ascii: "/"):
                let last = byte(length - 2)
                return last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") ? nil : length
            case UInt8(ascii: "\\") where byte(length) != UInt8(ascii: "\n"): length += 1
            // In a class of characters a parenthesis stands for itself.
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "(") where !isInClass: depth += 1
            case UInt8(ascii: ")") where !isInClass:
                depth -= 1
                // The rule of SE-0354 for operators as arguments, as in `f(/) + g(/)`.
                if depth < 0 { return nil }
            default: break
            }
        }
        return nil
    }

    /// `#/…/#` goes over several lines only if its first one is blank.
    private mutating func scanExtendedRegex(pounds: Int) {
        let start = position
        let startLine = line
        advance(pounds + 1)
        var blanks = 0
        while let next = byte(blanks), next <= UInt8(ascii: " "), next != UInt8(ascii: "\n") {
            blanks += 1
        }
        let isMultiline = byte(blanks) == UInt8(ascii: "\n")
        while let next = byte(), isMultiline || next != UInt8(ascii: "\n") {
            advance()
            if next == UInt8(ascii: "\\") { advance() }
            guard next == UInt8(ascii: "/") else { continue }
            if (0..<pounds).allSatisfy({ byte($0) == UInt8(ascii: "#") }) {
                return advance(pounds)
            }
        }
        unfinished = SwiftUnfinished(kind: .regex, offset: start, line: startLine)
    }
}
