/// Texts as files of rows have them.
package enum FieldText {
    /// A field of a file with columns: in quotes, where it holds a quote, the delimiter or a line
    /// end (RFC 4180).
    package static func delimited(_ text: String, by delimiter: Character = ",") -> String {
        let special = [UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        // By bytes: as a Character, CRLF is one and equal to neither CR nor LF.
        let needsQuotes = text.utf8.contains { byte in
            special.contains(byte) || delimiter.asciiValue == byte
        }
        guard needsQuotes else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// A record of a file with columns, without its line end. An empty field that is alone is in
    /// quotes: an empty line is no record.
    package static func record(_ fields: [String], by delimiter: Character = ",") -> String {
        if fields == [""] { return "\"\"" }
        return fields.map { delimited($0, by: delimiter) }.joined(separator: String(delimiter))
    }

    /// A string of JSON (RFC 8259), with its quotes.
    package static func json(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
