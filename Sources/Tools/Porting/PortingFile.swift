import SwiftSource

/// A file while rules are applied to it: its tokens, and what is to change.
struct PortingFile {
    let source: SwiftSource
    private var conditions: PlatformConditions
    private var edits: [(range: Range<Int>, text: String)] = []
    private(set) var findings: [PortFinding] = []
    /// The modules of this package, beside CoreData, whose names are used.
    var neededModules: Set<String> = []
    /// Those that are imported by what has been rewritten.
    var importedModules: Set<String> = []

    init(_ source: SwiftSource) {
        self.source = source
        conditions = PlatformConditions(source)
    }

    /// The types that have been put into `#if canImport(…)`, each with the module.
    private(set) var goneTypes: [String: String] = [:]

    /// Notes that Linux does not compile some tokens any more.
    mutating func deactivate(_ tokens: ClosedRange<Int>) { conditions.deactivate(tokens) }

    /// Notes that Linux compiles some tokens from now on.
    mutating func activate(_ tokens: Range<Int>) { conditions.activate(tokens) }

    /// Notes a type that is there only where a module is.
    mutating func noteGone(_ type: String, with module: String) { goneTypes[type] = module }

    /// Whether Linux compiles the token.
    func isActive(_ index: Int) -> Bool { conditions.isActive[index] }

    /// The tokens that Linux compiles.
    var activeTokens: [Int] { source.tokens.indices.filter(isActive) }

    // MARK: Findings

    mutating func leave(line: Int, _ message: String) {
        findings.append(PortFinding(kind: .left, line: line, message: message))
    }

    mutating func leave(_ index: Int, _ message: String) {
        leave(line: source.tokens[index].line, message)
    }

    mutating func note(_ index: Int, _ message: String) {
        let line = source.tokens[index].line
        findings.append(PortFinding(kind: .rewritten, line: line, message: message))
    }

    // MARK: Edits

    mutating func replace(_ range: Range<Int>, with text: String) { edits.append((range, text)) }

    mutating func insert(_ text: String, at offset: Int) { replace(offset..<offset, with: text) }

    /// Replaces tokens and what is between them.
    mutating func replace(tokens: ClosedRange<Int>, with text: String) {
        replace(byteRange(tokens), with: text)
    }

    func byteRange(_ tokens: ClosedRange<Int>) -> Range<Int> {
        source.tokens[tokens.lowerBound].range
            .lowerBound..<source.tokens[tokens.upperBound].range.upperBound
    }

    /// Puts whole lines into `#if CONDITION … #else … #endif`, at the indentation of the first.
    mutating func wrap(_ tokens: ClosedRange<Int>, in condition: String, else other: String? = nil)
    {
        let range = byteRange(tokens)
        let newline = source.lineEnding + source.indentation(of: source.tokens[tokens.lowerBound])
        insert("#if \(condition)\(newline)", at: range.lowerBound)
        let alternative = other.map { "\(newline)#else\(newline)\($0)" } ?? ""
        insert("\(alternative)\(newline)#endif", at: range.upperBound)
        // A directive has its line for itself, and code may go on behind what is wrapped.
        let next = tokens.upperBound + 1
        guard source.tokens.indices.contains(next), !source.tokens[next].isFirstInLine else {
            return
        }
        let gap = range.upperBound..<source.tokens[next].range.lowerBound
        let isBlank = source.bytes[gap].allSatisfy {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
        }
        // After the other edit at this offset: `#endif` comes before the line end.
        replace(isBlank ? gap : range.upperBound..<range.upperBound, with: newline)
    }

    /// The text with all edits made.
    var editedBytes: [UInt8] {
        var result: [UInt8] = []
        var position = 0
        // At one offset the order of the rules counts: what wraps the outside is asked for first.
        let ordered = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        // Of edits that overlap the first is made. What the others are about is found again in the
        // next pass over the new text.
        for (_, edit) in ordered where edit.range.lowerBound >= position {
            result += source.bytes[position..<edit.range.lowerBound]
            result += edit.text.utf8
            position = edit.range.upperBound
        }
        return result + source.bytes[position...]
    }
}
