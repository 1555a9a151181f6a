import Foundation

/// Makes values of a JSON text (RFC 8259) that is valid UTF-8.
///
/// Foundation's parser gives a number as a `Double` that may not be the nearest one, and takes a
/// byte order mark out of texts.
struct JSONParser {
    /// Why a text is no JSON, and the byte where that shows.
    struct Malformed: Error {
        let offset: Int
    }

    private static let maximumDepth = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0

    /// The value that a text is, with nothing else around it but white space.
    static func value(of bytes: UnsafeBufferPointer<UInt8>) throws(Malformed) -> ImportValue {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value()
        parser.skipWhitespace()
        guard parser.index == bytes.count else { throw parser.malformed }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private var malformed: Malformed { Malformed(offset: index) }

    /// The byte at hand; 0, which stands nowhere in JSON, at the end.
    private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

    private mutating func skipWhitespace() {
        while [0x20, 0x0A, 0x0D, 0x09].contains(byte) { index += 1 }
    }

    private mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: expected) else { return false }
        index += 1
        return true
    }

    private mutating func value() throws(Malformed) -> ImportValue {
        skipWhitespace()
        switch byte {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .list(try list())
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(
        _ word: String,
        _ value: ImportValue
    ) throws(Malformed) -> ImportValue {
        for scalar in word.unicodeScalars where !take(scalar) { throw malformed }
        return value
    }

    // MARK: Lists and objects

    private mutating func enter() throws(Malformed) {
        index += 1
        depth += 1
        guard depth <= Self.maximumDepth else { throw malformed }
        skipWhitespace()
    }

    private mutating func list() throws(Malformed) -> [ImportValue] {
        try enter()
        defer { depth -= 1 }
        var values: [ImportValue] = []
        if take("]") { return values }
        repeat {
            values.append(try value())
            skipWhitespace()
        } while take(",")
        guard take("]") else { throw malformed }
        return values
    }

    private mutating func object() throws(Malformed) -> [String: ImportValue] {
        try enter()
        defer { depth -= 1 }
        var fields: [String: ImportValue] = [:]
        if take("}") { return fields }
        repeat {
            skipWhitespace()
            guard byte == UInt8(ascii: "\"") else { throw malformed }
            let key = try text()
            skipWhitespace()
            guard take(":") else { throw malformed }
            fields[key] = try value()
            skipWhitespace()
        } while take(",")
        guard take("}") else { throw malformed }
        return fields
    }

    // MARK: Texts

    private mutating func text() throws(Malformed) -> String {
        index += 1
        let start = index
        while byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            guard byte >= 0x20 else { throw malformed }
            index += 1
        }
        let plain = String(decoding: bytes[start..<index], as: UTF8.self)
        // Most have no escape.
        if take("\"") { return plain }
        return try text(after: plain)
    }

    private mutating func text(after beginning: String) throws(Malformed) -> String {
        var text = Array(beginning.utf8)
        while true {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                text += Array(String(try escaped()).utf8)
            case 0..<0x20: throw malformed
            default:
                text.append(byte)
                index += 1
            }
        }
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
        UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n",
        UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    private mutating func escaped() throws(Malformed) -> Unicode.Scalar {
        if let scalar = Self.escapes[byte] {
            index += 1
            return scalar
        }
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
        // Half of a scalar beyond the first 65,536: the other half is an escape, too.
        guard UTF16.isLeadSurrogate(unit), take("\\") else { throw malformed }
        let trail = try codeUnit()
        guard UTF16.isTrailSurrogate(trail),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(trail) - 0xDC00
            )
        else { throw malformed }
        return scalar
    }

    /// The number behind a backslash: `u` and four digits.
    private mutating func codeUnit() throws(Malformed) -> UInt16 {
        guard take("u"), index + 4 <= bytes.count else { throw malformed }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw malformed }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    // MARK: Numbers

    private mutating func number() throws(Malformed) -> ImportValue {
        let start = index
        _ = take("-")
        let first = byte
        let count = skipDigits()
        // No zeros at the beginning: what they mean differs from language to language.
        guard count > 0, count == 1 || first != UInt8(ascii: "0") else { throw malformed }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard skipDigits() > 0 else { throw malformed }
        }
        if take("e") || take("E") {
            isWhole = false
            _ = take("+") || take("-")
            guard skipDigits() > 0 else { throw malformed }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        return try real(text)
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        return index - start
    }

    private func real(_ text: String) throws(Malformed) -> ImportValue {
        // The nearest one; a number that is too large has none.
        guard let real = Double(text), real.isFinite else { throw malformed }
        // One of more digits than a Double has is kept as it is written, for decimal attributes.
        guard text.utf8.count > 15, let decimal = Decimal(string: text), !decimal.isNaN,
            Decimal(string: "\(real)") != decimal
        else { return .real(real) }
        return .decimal(decimal)
    }
}
