/// Writes XML, an element a line.
struct MarkupWriter {
    private(set) var bytes = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    private var depth = 0

    mutating func open(_ name: String, _ attributes: [(String, String)] = []) {
        line { $0.tag(name, attributes) }
        depth += 1
    }

    mutating func close(_ name: String) {
        depth -= 1
        line { $0.append("</\(name)>") }
    }

    mutating func empty(_ name: String, _ attributes: [(String, String)] = []) {
        line { $0.tag(name, attributes, end: "/>") }
    }

    mutating func element(
        _ name: String,
        _ text: String,
        _ attributes: [(String, String)] = []
    ) {
        line { writer in
            writer.tag(name, attributes)
            writer.append(escaped: text)
            writer.append("</\(name)>")
        }
    }

    /// Whether an XML 1.0 document can have all characters of a text.
    static func canHold(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x20...0xFFFD: true
            case 0x10000...: scalar.value & 0xFFFE != 0xFFFE
            default: false
            }
        }
    }

    private mutating func line(_ body: (inout MarkupWriter) -> Void) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
        body(&self)
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func tag(
        _ name: String,
        _ attributes: [(String, String)],
        end: String = ">"
    ) {
        append("<\(name)")
        for (key, value) in attributes {
            append(" \(key)=\"")
            append(escaped: value)
            append("\"")
        }
        append(end)
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Line ends and tabs, too, which readers may change otherwise.
    private mutating func append(escaped text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            case 0x09, 0x0A, 0x0D: append("&#\(byte);")
            default: bytes.append(byte)
            }
        }
    }
}
