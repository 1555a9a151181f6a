/// One token of a Swift source file, as far as declarations need to be told apart.
struct Token {
    enum Kind: Equatable {
        /// A word, also a keyword or one in backticks.
        case word
        /// A string, number or regular expression.
        case literal
        /// One character of punctuation or of an operator.
        case mark(UInt8)
    }

    let kind: Kind
    /// Where the token stands, in bytes.
    let range: Range<Int>
    /// From 1.
    let line: Int
    let isFirstOnLine: Bool
    /// The selector of an `@objc(…)` that stands in a comment before the token.
    let selectorInComment: String?
}

/// A Swift source file and its tokens.
struct SourceText {
    let path: String
    let bytes: [UInt8]
    let tokens: [Token]

    /// - Throws: ``GeneratorError`` for a string or comment without an end.
    init(path: String, bytes: [UInt8]) throws {
        self.path = path
        self.bytes = bytes
        var lexer = Lexer(path: path, bytes: bytes)
        tokens = try lexer.tokens()
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The column of a place in its line, from 1.
    func column(_ place: Int) -> Int {
        place - (bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
    }
}
