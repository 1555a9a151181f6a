extension SwiftScanner {
    /// Scans a regular-expression literal, if one begins here.
    ///
    /// A bare `/` begins one only where an operand may stand and another one follows in its line;
    /// the rules are those of SE-0354.
    mutating func scanRegex() -> Bool {
        var pounds = 0
        while byte(pounds) == UInt8(ascii: "#") { pounds += 1 }
        guard byte(pounds) == UInt8(ascii: "/") else { return false }
        if pounds == 0, !canBeginBareRegex { return false }
        guard let length = regexLength(pounds: pounds) else { return false }
        advance(length)
        return true
    }

    private var canBeginBareRegex: Bool {
        guard let next = byte(1), next > UInt8(ascii: " "), next != UInt8(ascii: ")") else {
            return false
        }
        guard let last = tokens.last else { return true }
        switch last.kind {
        case .number, .string, .regex, .directive: return false
        case .word: return Self.wordsBeforeOperands.contains(lastText(last))
        case .sign:
            let sign = bytes[last.range.upperBound - 1]
            return !")]}?!".utf8.contains(sign)
        }
    }

    private func lastText(_ token: SwiftToken) -> String {
        String(decoding: bytes[token.range], as: UTF8.self)
    }

    private static let wordsBeforeOperands: Set<String> = [
        "return", "case", "in", "try", "await", "throw", "where", "if", "guard", "while", "else",
    ]

    /// The length of the literal with its delimiters; nil if it does not end.
    private func regexLength(pounds: Int) -> Int? {
        var length = pounds + 1
        while let next = byte(length) {
            length += 1
            if next == UInt8(ascii: "\n"), pounds == 0 { return nil }
            if next == UInt8(ascii: "\\") { length += 1 }
            guard next == UInt8(ascii: "/") else { continue }
            let end = (0..<pounds).allSatisfy { byte(length + $0) == UInt8(ascii: "#") }
            if end { return length + pounds }
        }
        return nil
    }
}
