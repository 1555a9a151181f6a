import Foundation

extension FormatScanner {
    /// A number literal at a digit, or at a point before one; nil if it is malformed.
    mutating func takeNumber() -> Any? {
        let start = position
        if current == UInt8(ascii: "0"), let radix = radixOfPrefix() {
            position += 2
            let digits = position
            while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
            return Int(text(digits..<position), radix: radix)
        }
        skipDigits()
        var isInteger = true
        if current == UInt8(ascii: "."), Self.isDigit(byte(ahead: 1)) {
            isInteger = false
            position += 1
            skipDigits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            let sign = byte(ahead: 1) == UInt8(ascii: "-") || byte(ahead: 1) == UInt8(ascii: "+")
            if Self.isDigit(byte(ahead: sign ? 2 : 1)) {
                isInteger = false
                position += sign ? 2 : 1
                skipDigits()
            }
        }
        // `12ab` is neither a number nor a name.
        guard isAtEnd || !Self.isNameStart(current) else { return nil }
        let digits = text(start..<position)
        // A whole number that no integer holds becomes a real one.
        if isInteger, let integer = Int(digits) { return integer }
        return Double(digits)
    }

    private func radixOfPrefix() -> Int? {
        switch byte(ahead: 1) | 0x20 {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }

    private mutating func skipDigits() {
        while position < bytes.count, Self.isDigit(bytes[position]) { position += 1 }
    }

    /// A string literal at its opening quotation mark; nil if it does not end, or if an escape is
    /// malformed. The position is at the fault then.
    mutating func takeString() -> String? {
        // Most literals have no escape. They become a string in one piece, without a buffer of
        // bytes.
        let quote = bytes[position]
        let start = position + 1
        var end = start
        while end < bytes.count, bytes[end] != quote, bytes[end] != UInt8(ascii: "\\") { end += 1 }
        if end < bytes.count, bytes[end] == quote {
            position = end + 1
            return text(start..<end)
        }
        var result = Array(bytes[start..<end])
        position = end
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == quote { return String(decoding: result, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            guard takeEscape(into: &result) else { return nil }
        }
        return nil
    }

    private mutating func takeEscape(into result: inout [UInt8]) -> Bool {
        guard !isAtEnd else { return false }
        let byte = current
        position += 1
        switch byte {
        case UInt8(ascii: "n"): result.append(0x0a)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "r"): result.append(0x0d)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0c)
        case UInt8(ascii: "v"): result.append(0x0b)
        case UInt8(ascii: "u"), UInt8(ascii: "U"): return takeScalar(digits: 4, into: &result)
        case UInt8(ascii: "x"): return takeScalar(digits: 2, into: &result)
        // What needs no escape stands for itself: quotation marks and backslashes above all.
        default: result.append(byte)
        }
        return true
    }

    private mutating func takeScalar(digits: Int, into result: inout [UInt8]) -> Bool {
        guard var code = takeHex(digits) else { return false }
        // The halves of a UTF-16 pair, an escape each, are one scalar.
        if code >= 0xd800, code < 0xdc00, take(UInt8(ascii: "\\"), UInt8(ascii: "u")) {
            guard let low = takeHex(4), low >= 0xdc00, low < 0xe000 else { return false }
            code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else { return false }
        result.append(contentsOf: Character(scalar).utf8)
        return true
    }

    private mutating func takeHex(_ digits: Int) -> UInt32? {
        guard position + digits <= bytes.count else { return nil }
        let text = text(position..<position + digits)
        guard text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        position += digits
        return UInt32(text, radix: 16)
    }
}
