/// What a string literal begins and ends with: number signs, and one or three quotation marks.
struct SwiftStringDelimiter {
    let poundCount: Int
    let isMultiline: Bool

    /// The delimiter that begins at a place, or nil if no literal begins there.
    init?(_ bytes: [UInt8], at start: Int) {
        var position = start
        while position < bytes.count, bytes[position] == UInt8(ascii: "#") { position += 1 }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        poundCount = position - start
        let isTriple = bytes[position...].prefix(3).elementsEqual(Self.threeQuotes)
        // `#"""#` is a literal of one quotation mark: one that ends in the same line has no line of its own.
        let endsInLine =
            isTriple && poundCount > 0
            && Self.hasEnd(poundCount, bytes, behind: position + 1)
        isMultiline = isTriple && !endsInLine
    }

    /// How long the opening is, and the end.
    var byteCount: Int { poundCount + quoteCount }
    private var quoteCount: Int { isMultiline ? 3 : 1 }

    /// Whether the literal ends at a place.
    func ends(_ bytes: [UInt8], at position: Int) -> Bool {
        bytes[position...].prefix(quoteCount).elementsEqual(Self.threeQuotes.prefix(quoteCount))
            && Self.hasPounds(poundCount, bytes, at: position + quoteCount)
    }

    /// Whether an escape sequence begins at a place.
    func escapes(_ bytes: [UInt8], at position: Int) -> Bool {
        // In `#"…"#` a backslash alone is text: it takes as many number signs to escape.
        bytes[position] == UInt8(ascii: "\\")
            && Self.hasPounds(poundCount, bytes, at: position + 1)
    }

    /// Whether a quotation mark with number signs behind it stands in the rest of a line.
    private static func hasEnd(_ count: Int, _ bytes: [UInt8], behind start: Int) -> Bool {
        let line = bytes[start...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return line.indices.contains {
            bytes[$0] == UInt8(ascii: "\"") && hasPounds(count, bytes, at: $0 + 1)
        }
    }

    private static let threeQuotes = [UInt8](repeating: UInt8(ascii: "\""), count: 3)

    private static func hasPounds(_ count: Int, _ bytes: [UInt8], at position: Int) -> Bool {
        position + count <= bytes.count
            && bytes[position..<position + count].allSatisfy { $0 == UInt8(ascii: "#") }
    }
}
