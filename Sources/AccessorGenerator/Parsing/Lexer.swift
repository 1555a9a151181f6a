import Foundation

/// Splits Swift source into tokens.
///
/// Comments (which nest), strings of all forms with their interpolations, and regular expressions
/// are told apart as "The Swift Programming Language", Lexical Structure, describes them, so that
/// braces in them don't count. Operators come as single characters.
struct Lexer {
    let path: String
    let bytes: [UInt8]
    var place = 0
    var line = 1
    var isFirstOnLine = true
    private var selectorInComment: String?
    var result: [Token] = []

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    mutating func tokens() throws -> [Token] {
        if peek() == UInt8(ascii: "#"), peek(1) == UInt8(ascii: "!") { skipLine() }
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\n"): newline()
            case 0x20, 0x09, 0x0d, 0x0b, 0x0c: place += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): lineComment()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): try blockComment()
            default: try token(byte)
            }
        }
        return result
    }

    // MARK: Tokens

    private mutating func token(_ byte: UInt8) throws {
        let start = place, startLine = line
        let kind = try scan(byte)
        result.append(
            Token(
                kind: kind,
                range: start..<place,
                line: startLine,
                isFirstOnLine: isFirstOnLine,
                selectorInComment: selectorInComment
            )
        )
        selectorInComment = nil
        isFirstOnLine = false
    }

    private mutating func scan(_ byte: UInt8) throws -> Token.Kind {
        if byte == UInt8(ascii: "\"") { return try string(hashes: 0) }
        if byte == UInt8(ascii: "#") {
            let hashes = countHashes()
            if peek(hashes) == UInt8(ascii: "\"") {
                place += hashes
                return try string(hashes: hashes)
            }
            if peek(hashes) == UInt8(ascii: "/") { return try extendedRegex(hashes: hashes) }
        }
        if byte == UInt8(ascii: "/"), let end = endOfRegex() {
            place = end
            return .literal
        }
        if byte == UInt8(ascii: "`") {
            repeat { place += 1 } while peek().map { $0 != byte && $0 != 0x0a } ?? false
            place += 1
            return .word
        }
        guard Self.isWord(byte) else {
            place += 1
            return .mark(byte)
        }
        while let next = peek(), Self.isWord(next) { place += 1 }
        return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? .literal : .word
    }

    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            0x80...0xff:
            true
        default: false
        }
    }

    /// Whether a character is part of a word.
    static func isWord(_ character: Character) -> Bool { character.utf8.allSatisfy(isWord) }

    // MARK: Comments and space

    private mutating func newline() {
        line += 1
        place += 1
        isFirstOnLine = true
    }

    private mutating func skipLine() {
        while let byte = peek(), byte != 0x0a { place += 1 }
    }

    private mutating func lineComment() {
        let start = place
        skipLine()
        noteSelector(start..<place)
    }

    mutating func blockComment() throws {
        let start = place, startLine = line
        var depth = 0
        while let byte = peek() {
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                place += 2
            } else if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                place += 2
                if depth == 0 { return noteSelector(start..<place) }
            } else {
                if byte == 0x0a { line += 1 }
                place += 1
            }
        }
        throw GeneratorError(path, startLine, "unterminated comment")
    }

    /// `@objc(addItemsObject:)` that was commented out still tells what a function does.
    private mutating func noteSelector(_ range: Range<Int>) {
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard let match = text.firstMatch(of: /@objc\(([A-Za-z0-9_:]+)\)/) else { return }
        selectorInComment = String(match.1)
    }

    func peek(_ offset: Int = 0) -> UInt8? {
        place + offset < bytes.count ? bytes[place + offset] : nil
    }

    func countHashes(from offset: Int = 0) -> Int {
        var count = 0
        while peek(offset + count) == UInt8(ascii: "#") { count += 1 }
        return count
    }
}
