/// Reads a predicate format string byte by byte: white space, names, numbers and strings.
struct FormatScanner {
    let bytes: [UInt8]
    var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The byte at the position, 0 at the end; a NUL in the text is no token either.
    @inline(__always) var current: UInt8 { position < bytes.count ? bytes[position] : 0 }
    @inline(__always) var isAtEnd: Bool { position >= bytes.count }

    @inline(__always) func byte(ahead distance: Int) -> UInt8 {
        position + distance < bytes.count ? bytes[position + distance] : 0
    }

    @inline(__always) mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0a, 0x0d, 0x0b, 0x0c: position += 1
            default: return
            }
        }
    }

    @inline(__always) mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte, !isAtEnd else { return false }
        position += 1
        return true
    }

    /// Takes two bytes if both stand here.
    @inline(__always) mutating func take(_ first: UInt8, _ second: UInt8) -> Bool {
        guard current == first, byte(ahead: 1) == second else { return false }
        position += 2
        return true
    }

    static func isNameStart(_ byte: UInt8) -> Bool {
        switch byte {
        // All bytes of scalars beyond ASCII, so that names in any script are names.
        case 0x41...0x5a, 0x61...0x7a, 0x5f, 0x80...0xff: true
        default: false
        }
    }
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    static func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }

    /// The end of the name that starts here; the position itself if none does.
    func endOfName() -> Int {
        guard Self.isNameStart(current), !isAtEnd else { return position }
        var end = position + 1
        while end < bytes.count, Self.isNamePart(bytes[end]) { end += 1 }
        return end
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The keyword from here to `end`, if the name is one.
    func keyword(endingAt end: Int) -> FormatKeyword? {
        let count = end - position
        guard count >= 2, count <= FormatKeyword.maximumLength else { return nil }
        let start = position
        let name = String(unsafeUninitializedCapacity: count) { buffer in
            for offset in 0..<count {
                let byte = bytes[start + offset]
                // In ASCII only: `uppercased()` turns a dotless i into an I, and a name that has
                // one into a keyword.
                buffer[offset] = byte >= 0x61 && byte <= 0x7a ? byte & 0xdf : byte
            }
            return count
        }
        return FormatKeyword.byName[name]
    }

    /// The characters before a byte position, for messages.
    func characterOffset(_ position: Int) -> Int { text(0..<min(position, bytes.count)).count }
}

/// The reserved words of format strings.
enum FormatKeyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"
    case `in` = "IN"
    case like = "LIKE"
    case matches = "MATCHES"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case between = "BETWEEN"
    case null = "NULL"
    case `nil` = "NIL"
    case `self` = "SELF"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case anyKey = "ANYKEY"
    // Reserved only before a parenthesis.
    case subquery = "SUBQUERY"
    case cast = "CAST"
    case function = "FUNCTION"
    case ternary = "TERNARY"
    case fetch = "FETCH"
    // Reserved only between two values.
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
    // Reserved only in brackets.
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"

    static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    // That of FALSEPREDICATE: a longer name is no keyword, and need not be copied to find out.
    static let maximumLength = 14

    /// Whether a key of this name has to be written with `#`.
    var isReservedEverywhere: Bool {
        switch self {
        case .subquery, .cast, .function, .ternary, .fetch, .first, .last, .size, .union,
            .intersect, .minus:
            false
        default: true
        }
    }

    /// The comparison that the keyword means.
    var comparison: NSComparisonPredicate.Operator? {
        switch self {
        case .in: .in
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .between: .between
        default: nil
        }
    }
}
