/// Goes through the bytes of an XML document: names, quoted values, text, references.
struct MarkupScanner {
    private let bytes: [UInt8]
    private var position = 0
    /// Lines are counted up to here; asking for the line counts on.
    private var countedPosition = 0
    private var countedLine = 1

    /// - Precondition: The bytes are valid UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    /// The line of the current position, from 1.
    mutating func line() -> Int {
        // Each element asks for its line: counting from the start each time would take time that
        // grows with the square of the document's length.
        while countedPosition < position, countedPosition < bytes.count {
            if bytes[countedPosition] == 0x0A { countedLine += 1 }
            countedPosition += 1
        }
        return countedLine
    }

    func error(_ message: String) -> MarkupError {
        // A copy counts, so that methods that change nothing can throw errors too. The cost comes
        // once, since the first error ends the reading.
        var counting = self
        return MarkupError(line: counting.line(), message: message)
    }

    // MARK: Fixed strings

    func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        return text.withUTF8Buffer { buffer in
            (0..<count).allSatisfy { bytes[position + $0] == buffer[$0] }
        }
    }

    /// Goes past a string if it stands here.
    mutating func accept(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Goes past the next occurrence of a string.
    ///
    /// - Returns: What stands before it.
    @discardableResult
    mutating func skip(past end: StaticString, of what: String) throws(MarkupError) -> String {
        let start = position
        while !isAtEnd {
            if starts(with: end) {
                let content = String(decoding: bytes[start..<position], as: UTF8.self)
                position += end.utf8CodeUnitCount
                return content
            }
            position += 1
        }
        throw error("the document ends inside \(what)")
    }

    /// - Returns: Whether there was any white space.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while !isAtEnd, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position > start
    }

    /// Goes past the rest of a document type that only refers to one elsewhere.
    mutating func skipDocumentType() throws(MarkupError) {
        // A `>` inside of a quoted identifier does not end the document type.
        var quote: UInt8?
        while !isAtEnd {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                // Entities could refer to each other until their text fills the memory, or name
                // files.
                throw error("the document type declares entities, which is not supported")
            } else if byte == UInt8(ascii: ">") {
                return
            }
        }
        throw error("the document ends inside its document type")
    }

    // MARK: Names, values and text

    mutating func name() throws(MarkupError) -> String {
        let start = position
        while !isAtEnd, Self.isNameByte(bytes[position]) { position += 1 }
        guard position > start, !Self.cannotBeginName(bytes[start]) else {
            throw error("a name is missing")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func attributeValue(of key: String) throws(MarkupError) -> String {
        guard !isAtEnd,
            bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
        else { throw error("the value of the attribute \(key) is not quoted") }
        let quote = bytes[position]
        position += 1
        var value: [UInt8] = []
        while !isAtEnd {
            let byte = bytes[position]
            switch byte {
            case quote:
                position += 1
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "&"):
                value.append(contentsOf: try reference().utf8)
            // Not well-formed, and often the sign of a missing quote, which is found here and not
            // at the end of the document.
            case UInt8(ascii: "<"):
                throw error("the value of the attribute \(key) has a <; write &lt;")
            case 0x09, 0x0A, 0x0D:
                // White space in a value counts as a space, and the two bytes of a line end as one.
                if byte != 0x0D || !starts(with: "\r\n") { value.append(0x20) }
                position += 1
            default:
                try checkCharacter(byte)
                value.append(byte)
                position += 1
            }
        }
        throw error("the document ends inside the value of the attribute \(key)")
    }

    /// The text up to the next tag.
    mutating func text() throws(MarkupError) -> String {
        var text: [UInt8] = []
        while !isAtEnd, bytes[position] != UInt8(ascii: "<") {
            if bytes[position] == UInt8(ascii: "&") {
                text.append(contentsOf: try reference().utf8)
            } else {
                try checkCharacter(bytes[position])
                text.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What a reference such as `&amp;` or `&#x41;` stands for.
    private mutating func reference() throws(MarkupError) -> String {
        let start = position + 1
        var end = start
        // No reference is longer: without a limit each stray `&` would cost the rest of the
        // document.
        while end < bytes.count, end - start <= 10, bytes[end] != UInt8(ascii: ";") { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: ";") else {
            throw error("a & begins no reference; write &amp;")
        }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        switch name {
        case "lt": position = end + 1; return "<"
        case "gt": position = end + 1; return ">"
        case "amp": position = end + 1; return "&"
        case "quot": position = end + 1; return "\""
        case "apos": position = end + 1; return "'"
        default: break
        }
        let isHexadecimal = name.hasPrefix("#x")
        // The digits are checked apart, since `UInt32` would take a sign. XML has no U+FFFE and
        // U+FFFF; their like in the other planes, which it advises against, are refused with them.
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard name.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            number >= 0x20 || number == 0x09 || number == 0x0A || number == 0x0D,
            number & 0xFFFE != 0xFFFE, let scalar = Unicode.Scalar(number)
        else { throw error("the reference &\(name); stands for no character") }
        position = end + 1
        return String(Character(scalar))
    }

    private func checkCharacter(_ byte: UInt8) throws(MarkupError) {
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
            throw error("there is a control character")
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    private static func cannotBeginName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
