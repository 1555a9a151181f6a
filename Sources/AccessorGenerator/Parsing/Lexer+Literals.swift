/// Strings and regular expressions.
extension Lexer {
    // MARK: Strings

    /// A string whose quotes stand at `place`.
    mutating func string(hashes: Int) throws -> Token.Kind {
        let isMultiline = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
        let start = line
        let quotes = isMultiline ? 3 : 1
        place += quotes
        while let byte = peek() {
            if byte == UInt8(ascii: "\""), endsString(quotes: quotes, hashes: hashes) {
                place += quotes + hashes
                return .literal
            }
            if byte == UInt8(ascii: "\\"), countHashes(from: 1) >= hashes {
                place += 1 + hashes
                if peek() == UInt8(ascii: "(") {
                    try interpolation()
                } else if peek() == 0x0a {
                    line += 1
                    place += 1
                } else {
                    place += 1
                }
                continue
            }
            if byte == 0x0a {
                guard isMultiline else { break }
                line += 1
            }
            place += 1
        }
        throw GeneratorError(path, start, "unterminated string")
    }

    private func endsString(quotes: Int, hashes: Int) -> Bool {
        for offset in 0..<quotes where peek(offset) != UInt8(ascii: "\"") { return false }
        return countHashes(from: quotes) >= hashes
    }

    /// The parentheses of an interpolation, with the strings in them.
    private mutating func interpolation() throws {
        var depth = 0
        let start = line
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "("):
                depth += 1
                place += 1
            case UInt8(ascii: ")"):
                depth -= 1
                place += 1
                if depth == 0 { return }
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): try blockComment()
            case UInt8(ascii: "\""): _ = try string(hashes: 0)
            case UInt8(ascii: "#") where peek(countHashes()) == UInt8(ascii: "\""):
                let hashes = countHashes()
                place += hashes
                _ = try string(hashes: hashes)
            default:
                if byte == 0x0a { line += 1 }
                place += 1
            }
        }
        throw GeneratorError(path, start, "unterminated string interpolation")
    }

    // MARK: Regular expressions

    /// The end of a regular expression that begins at `place`; nil if the slash is an operator.
    func endOfRegex() -> Int? {
        guard let next = peek(1), next != 0x20, next != 0x09, next != 0x0a, mayBeginRegex else {
            return nil
        }
        var end = place + 1
        var isInClass = false
        while end < bytes.count, bytes[end] != 0x0a {
            switch bytes[end] {
            case UInt8(ascii: "\\"): end += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass: return end + 1
            default: break
            }
            end += 1
        }
        return nil
    }

    private var mayBeginRegex: Bool {
        guard let last = result.last else { return true }
        switch last.kind {
        case .literal: return false
        case .mark(let mark): return !")]}>?!".utf8.contains(mark)
        case .word:
            let word = String(decoding: bytes[last.range], as: UTF8.self)
            return ["return", "in", "case", "if", "while", "try", "await", "where"].contains(word)
        }
    }

    mutating func extendedRegex(hashes: Int) throws -> Token.Kind {
        let start = line
        place += hashes + 1
        while let byte = peek() {
            if byte == UInt8(ascii: "/"), countHashes(from: 1) >= hashes {
                place += 1 + hashes
                return .literal
            }
            if byte == UInt8(ascii: "\\") { place += 1 }
            if peek() == 0x0a { line += 1 }
            place += 1
        }
        throw GeneratorError(path, start, "unterminated regular expression")
    }
}
