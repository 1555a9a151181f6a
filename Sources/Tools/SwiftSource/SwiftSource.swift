/// The text of a Swift file and its tokens.
///
/// Comments stand beside the tokens. Source: "Lexical Structure" in The Swift Programming
/// Language. It takes any bytes: what is unfinished ends with the text.
///
/// > Threading: A value; any thread.
package struct SwiftSource: Sendable {
    /// The text, in UTF-8.
    package let bytes: [UInt8]
    /// The tokens, in order.
    package let tokens: [SwiftToken]
    /// The comments, in order: offsets into the text.
    package let comments: [Range<Int>]
    /// A literal or comment that does not end, if there is one: what follows it is not in the tokens.
    package let unfinished: SwiftUnfinished?
    /// For each bracket the index of its other one, for other tokens their own.
    private let brackets: [Int]

    /// Takes a text apart.
    ///
    /// - Complexity: O(*n*) for *n* bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var scanner = SwiftScanner(bytes)
        scanner.scan()
        tokens = scanner.tokens
        comments = scanner.comments
        unfinished = scanner.unfinished
        brackets = Self.brackets(scanner.tokens, bytes)
    }

    /// Takes a text apart.
    package init(_ text: String) { self.init([UInt8](text.utf8)) }

    /// A token's text as it stands there.
    package func text(_ token: SwiftToken) -> String { text(token.range) }

    /// A piece of the text.
    package func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Whether a token is this word or sign.
    package func isToken(_ index: Int, _ text: StaticString) -> Bool {
        // The text of a literal may look like code, such as the `)` between two interpolations.
        guard tokens.indices.contains(index), tokens[index].kind != .string,
            tokens[index].range.count == text.utf8CodeUnitCount
        else { return false }
        return text.withUTF8Buffer { $0.elementsEqual(bytes[tokens[index].range]) }
    }

    /// A word without its backticks, or nil if the token is none.
    package func word(_ index: Int) -> String? {
        guard tokens.indices.contains(index), tokens[index].kind == .word else { return nil }
        let text = text(tokens[index])
        return text.hasPrefix("`") ? String(text.dropFirst().dropLast()) : text
    }

    /// The comments between a token and the one before it.
    package func comments(before index: Int) -> ArraySlice<Range<Int>> {
        let start = index > 0 ? tokens[index - 1].range.upperBound : 0
        let end = index < tokens.count ? tokens[index].range.lowerBound : bytes.count
        var low = 0
        var high = comments.count
        while low < high {
            let middle = (low + high) / 2
            if comments[middle].lowerBound < start { low = middle + 1 } else { high = middle }
        }
        return comments[low...].prefix { $0.lowerBound < end }
    }

    /// Whether a token is one of `#if`, `#elseif`, `#else` and `#endif`.
    package func isConditional(_ index: Int) -> Bool {
        guard tokens.indices.contains(index), tokens[index].kind == .directive else { return false }
        return isToken(index, "#if") || isToken(index, "#elseif") || isToken(index, "#else")
            || isToken(index, "#endif")
    }

    // MARK: Brackets

    /// The index of the bracket that closes the one at an index, or nil if none does.
    package func closingBracket(of opening: Int) -> Int? {
        guard brackets.indices.contains(opening), brackets[opening] > opening else { return nil }
        return brackets[opening]
    }

    /// The index of the bracket that opens what the one at an index closes, or nil if none does.
    package func openingBracket(of closing: Int) -> Int? {
        guard brackets.indices.contains(closing), brackets[closing] < closing else { return nil }
        return brackets[closing]
    }

    private static func brackets(_ tokens: [SwiftToken], _ bytes: [UInt8]) -> [Int] {
        var result = Array(tokens.indices)
        var open: [Int] = []
        for index in tokens.indices where tokens[index].kind == .sign {
            switch bytes[tokens[index].range.lowerBound] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append(index)
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                // Paired whatever their kinds are: in code that compiles they match, and other code
                // only has to be read to its end.
                guard let opening = open.popLast() else { continue }
                result[opening] = index
                result[index] = opening
            default: break
            }
        }
        return result
    }

    // MARK: Lines

    /// The white space that a token's line begins with.
    package func indentation(of token: SwiftToken) -> String {
        let start = lineStart(of: token.range.lowerBound)
        let end =
            bytes[start...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            ?? bytes.count
        return text(start..<end)
    }

    /// The offset at which the line of an offset begins.
    package func lineStart(of offset: Int) -> Int {
        let newline = bytes[..<offset].lastIndex(of: UInt8(ascii: "\n"))
        return newline.map { $0 + 1 } ?? 0
    }

    /// The column of an offset in its line, in bytes from 1.
    package func column(of offset: Int) -> Int { offset - lineStart(of: offset) + 1 }

    /// How lines end here: as the first one does.
    package var lineEnding: String {
        guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")), newline > 0,
            bytes[newline - 1] == UInt8(ascii: "\r")
        else { return "\n" }
        return "\r\n"
    }
}
