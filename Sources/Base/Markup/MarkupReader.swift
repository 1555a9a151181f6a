/// Reads XML documents from outside: bounded in size and depth, without external entities, and
/// with an error for each thing that is not well-formed.
///
/// It knows what model files and property lists use: elements, attributes, text, CDATA, comments,
/// processing instructions, the five named entities and numeric references. A document type is
/// skipped if it is only a reference, and refused if it declares anything. Foundation's
/// `XMLParser` would crash on crafted input.
package struct MarkupReader {
    /// How much of a document is taken in.
    package struct Limits: Sendable {
        package let byteCount: Int
        package let depth: Int
        package let elementCount: Int

        package init(byteCount: Int, depth: Int, elementCount: Int) {
            self.byteCount = byteCount
            self.depth = depth
            self.elementCount = elementCount
        }

        package static let modelFile = Limits(
            byteCount: 16 << 20,
            depth: 128,
            elementCount: 100_000
        )
    }

    private let limits: Limits
    private var scanner: MarkupScanner
    private var elementCount = 0
    /// The elements whose end is still to come, outermost first.
    private var open: [MarkupElement] = []
    private var root: MarkupElement?

    /// The document's root element.
    package static func read(
        _ bytes: [UInt8],
        limits: Limits = .modelFile
    ) throws(MarkupError) -> MarkupElement {
        guard bytes.count <= limits.byteCount else {
            throw MarkupError(
                line: 1,
                message: "the document is larger than \(limits.byteCount >> 20) MiB"
            )
        }
        // Checked once for all: the scanner cuts strings at bytes of ASCII only, so that decoding a
        // part of valid UTF-8 never has anything to repair.
        guard String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) else {
            throw MarkupError(line: 1, message: "the document is not valid UTF-8")
        }
        var reader = MarkupReader(scanner: MarkupScanner(bytes), limits: limits)
        return try reader.document()
    }

    private init(scanner: MarkupScanner, limits: Limits) {
        self.scanner = scanner
        self.limits = limits
    }

    private mutating func document() throws(MarkupError) -> MarkupElement {
        // Left in, a byte order mark would count as text outside of the root element.
        _ = scanner.accept("\u{FEFF}")
        while !scanner.isAtEnd { try next() }
        if let element = open.last {
            throw scanner.error("the document ends inside the element <\(element.name)>")
        }
        guard let root else { throw scanner.error("the document has no element") }
        return root
    }

    /// Reads a tag, a text, or what is skipped.
    private mutating func next() throws(MarkupError) {
        // The longer beginnings come first: what is left over is taken for a start tag, whose
        // name would be missing after `<!` or `<?`.
        if !scanner.starts(with: "<") {
            try add(text: try scanner.text())
        } else if scanner.accept("<!--") {
            try scanner.skip(past: "-->", of: "a comment")
        } else if scanner.accept("<![CDATA[") {
            guard !open.isEmpty else {
                throw scanner.error("there is text outside of the root element")
            }
            open[open.count - 1].text += try scanner.skip(past: "]]>", of: "a CDATA section")
        } else if scanner.accept("<?") {
            try scanner.skip(past: "?>", of: "a processing instruction")
        } else if scanner.accept("<!DOCTYPE") {
            guard open.isEmpty, root == nil else {
                throw scanner.error("a document type is out of place")
            }
            try scanner.skipDocumentType()
        } else if scanner.accept("</") {
            try endTag()
        } else {
            try startTag()
        }
    }

    private mutating func add(text: String) throws(MarkupError) {
        if !open.isEmpty {
            open[open.count - 1].text += text
        } else if !text.allSatisfy(\.isWhitespace) {
            throw scanner.error("there is text outside of the root element")
        }
    }

    // MARK: Tags

    private mutating func startTag() throws(MarkupError) {
        // The root is known only when its end tag has come, so this refuses no child of it.
        guard root == nil else { throw scanner.error("there is a second root element") }
        elementCount += 1
        guard elementCount <= limits.elementCount else {
            throw scanner.error("there are more than \(limits.elementCount) elements")
        }
        // Before the attributes, for a tag may go over several lines.
        let line = scanner.line()
        _ = scanner.accept("<")
        let name = try scanner.name()
        var attributes: [String: String] = [:]
        while true {
            let hasSpace = scanner.skipSpace()
            if scanner.accept("/>") {
                close(MarkupElement(name: name, attributes: attributes, line: line))
                return
            }
            if scanner.accept(">") { break }
            guard hasSpace, !scanner.isAtEnd else {
                throw scanner.error("the tag <\(name)> is malformed or has no end")
            }
            try readAttribute(into: &attributes, of: name)
        }
        open.append(MarkupElement(name: name, attributes: attributes, line: line))
        // Only here, since an element that ends with its own tag opens no level.
        guard open.count <= limits.depth else {
            throw scanner.error("elements are nested more than \(limits.depth) deep")
        }
    }

    private mutating func readAttribute(
        into attributes: inout [String: String],
        of element: String
    ) throws(MarkupError) {
        let key = try scanner.name()
        scanner.skipSpace()
        guard scanner.accept("=") else { throw scanner.error("the attribute \(key) has no value") }
        scanner.skipSpace()
        let value = try scanner.attributeValue(of: key)
        // A dictionary alone would let the last value win, and hide the mistake.
        guard attributes.updateValue(value, forKey: key) == nil else {
            throw scanner.error("the element <\(element)> has the attribute \(key) twice")
        }
    }

    private mutating func endTag() throws(MarkupError) {
        let name = try scanner.name()
        guard let element = open.popLast() else {
            throw scanner.error("the end tag </\(name)> has no start tag")
        }
        guard name == element.name else {
            throw scanner.error(
                "the element <\(element.name)> of line \(element.line) ends as </\(name)>"
            )
        }
        scanner.skipSpace()
        guard scanner.accept(">") else {
            throw scanner.error("the end tag </\(name)> is malformed")
        }
        close(element)
    }

    private mutating func close(_ element: MarkupElement) {
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }
}
