import Foundation
import SwiftSource

/// Finds the types of a file, and the `@NSManaged` members in them.
///
/// Everything else is skipped from one line that begins a declaration to the next; function bodies
/// are skipped as a whole.
struct DeclarationParser {
    var cursor: SwiftCursor
    let file: ParsedFile
    var conditions = ConditionStack()
    /// How many `#if`s are around the body that is being read.
    var depthOfBody = 0

    /// The places of `@NSManaged` that no group that was skipped has ended behind, last first.
    private var managedPlaces: [Int]

    private init(path: String, source: SwiftSource) {
        cursor = SwiftCursor(source)
        file = ParsedFile(path: path)
        managedPlaces = source.tokens.indices.reversed().filter { index in
            source.isToken(index, "NSManaged") && source.isToken(index - 1, "@")
        }
    }

    /// - Throws: ``GeneratorError`` for a managed member that can't be handled, and for a literal or
    ///   comment without an end.
    static func parse(path: String, bytes: [UInt8]) throws -> ParsedFile {
        let source = SwiftSource(bytes)
        if let unfinished = source.unfinished {
            throw GeneratorError(
                path,
                unfinished.line,
                column: source.column(of: unfinished.offset),
                "unterminated \(unfinished.kind.rawValue)"
            )
        }
        var parser = DeclarationParser(path: path, source: source)
        while !parser.cursor.isAtEnd {
            try parser.parseItems(in: nil)
            // A closing brace too many: the compiler will say so.
            parser.cursor.advance()
        }
        return parser.file
    }

    /// The declarations up to the end of a body or of the file.
    mutating func parseItems(in parent: Declaration?) throws {
        while !cursor.isAtEnd, !cursor.isAt("}") { try parseItem(in: parent) }
    }

    private mutating func parseItem(in parent: Declaration?) throws {
        if cursor.take(";") { return }
        var prefix = Prefix()
        while true {
            // Directives stand between attributes, too: in a ported source, around `@objc`.
            if takeDirective() { continue }
            noteSelector(&prefix)
            if cursor.isAt("@") {
                parseAttribute(&prefix)
            } else if !takeModifier(&prefix) {
                break
            }
        }
        // A body may end behind a directive.
        if cursor.isAt("}") { return }
        guard let word = cursor.word() else {
            // A macro stands for declarations that are not in the source.
            if let token = cursor.current, cursor.source.text(token).hasPrefix("#") {
                parent?.mayHaveInitializers = true
            }
            return try skipStatement()
        }
        if SwiftKeywords.types.contains(word), cursor.word(ahead: 1) != nil {
            try parseType(prefix, in: parent)
        } else {
            switch word {
            case "import": parseImport()
            case "typealias": parseAlias(prefix, in: parent)
            case "var" where prefix.isManaged: try parseProperty(prefix, in: parent)
            case "func" where prefix.isManaged: try parseFunction(prefix, in: parent)
            case "var" where prefix.isStatic && cursor.startsConvention():
                try parseConvention(prefix, in: parent)
            case "func" where cursor.startsConvention(): try parseConvention(prefix, in: parent)
            case "func" where isExposedMethod(prefix, in: parent):
                try parseExposedMethod(prefix, in: parent)
            case "var": try parseVariable(prefix, in: parent)
            case "init":
                parent?.mayHaveInitializers = true
                try skipStatement()
            default: try skipStatement()
            }
        }
    }

    // MARK: Before a declaration

    private mutating func parseAttribute(_ prefix: inout Prefix) {
        let start = cursor.offset
        let name = cursor.takeAttribute()
        switch name {
        case "NSManaged": prefix.isManaged = true
        case "available", "_spi": prefix.availability.append(cursor.text(from: start))
        case "objcMembers": prefix.exposesMembers = true
        case "objc":
            prefix.isExposed = true
            let text = cursor.text(from: start).dropFirst("@objc".count)
            if !text.isEmpty { prefix.selector = String(text.dropFirst().dropLast()) }
        // No source of another module is read for its global actors: the name has to tell them.
        default: if name?.hasSuffix("Actor") == true { prefix.isIsolated = true }
        }
        if !Self.attributes.contains(name ?? "") { prefix.mayBeExpanded = true }
    }

    /// The language's own attributes of classes; others may be macros.
    private static let attributes: Set<String> = [
        "available", "_spi", "dynamicMemberLookup", "MainActor", "NSManaged", "nonobjc", "objc",
        "objcMembers", "preconcurrency", "usableFromInline",
    ]

    private mutating func takeModifier(_ prefix: inout Prefix) -> Bool {
        // Asked before the word is taken, since that takes the parentheses along.
        let isSetter = cursor.isAt("(", ahead: 1) && cursor.word(ahead: 2) == "set"
        guard let word = takeClass() ?? cursor.takeModifier() else { return false }
        if word == "override" { prefix.isOverride = true }
        if word == "static" || word == "class" { prefix.isStatic = true }
        if word == "dynamic" { prefix.isExposed = true }
        if let access = Access(word: word) {
            if isSetter { prefix.setterAccess = access } else { prefix.access = access }
        }
        return true
    }

    /// Takes a `class` before a member.
    private mutating func takeClass() -> String? {
        guard cursor.word() == "class", let next = cursor.word(ahead: 1),
            ["var", "let", "func", "subscript"].contains(next)
                || SwiftKeywords.modifiers.contains(next)
        else { return nil }
        return cursor.takeWord()
    }

    /// `@objc(addItemsObject:)` that was commented out still tells what a function does.
    private func noteSelector(_ prefix: inout Prefix) {
        for comment in cursor.source.comments(before: cursor.index)
        where cursor.source.bytes[comment].contains(UInt8(ascii: "@")) {
            let text = cursor.source.text(comment)
            guard let start = text.range(of: "@objc(")?.upperBound,
                let end = text[start...].firstIndex(of: ")"), start < end,
                text[start..<end].allSatisfy({
                    $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":")
                })
            else { continue }
            prefix.selector = String(text[start..<end])
        }
    }

    private mutating func takeDirective() -> Bool {
        guard cursor.source.isConditional(cursor.index), let directive = cursor.current else {
            return false
        }
        let word = cursor.source.text(directive).dropFirst()
        let start = directive.range.upperBound
        cursor.skipLine()
        let condition = cursor.text(from: start).drop { $0 == " " || $0 == "\t" }
        conditions.take(String(word), String(condition))
        return true
    }

    // MARK: What is skipped

    /// Skips to the next line that begins a declaration, or to the end of the body.
    mutating func skipStatement() throws {
        repeat {
            let start = cursor.index
            cursor.skipGroup()
            // Left out, the member would end the build in the linker, which knows no line to look
            // at.
            if let managed = managedPlace(from: start + 1, to: cursor.index) {
                let token = cursor.source.tokens[managed - 1]
                throw error(
                    at: token,
                    "an @NSManaged member of a class within a function: move the class out of it"
                )
            }
            if cursor.take(";") { return }
        } while !isAtEndOfStatement
    }

    /// The first `@NSManaged` in a group that was skipped; its places are asked for in order.
    private mutating func managedPlace(from start: Int, to end: Int) -> Int? {
        guard end > start else { return nil }
        // Parsing never goes back, so what is behind it can go: all places are looked at once per
        // file.
        while let next = managedPlaces.last, next < start { managedPlaces.removeLast() }
        return managedPlaces.last.flatMap { $0 < end ? $0 : nil }
    }

    var isAtEndOfStatement: Bool {
        guard let token = cursor.current else { return true }
        if cursor.isAt("}") || cursor.isAt(";") { return true }
        // Within a line the same words may be names and labels.
        guard token.isFirstInLine else { return false }
        if cursor.isAt("@") || cursor.source.isConditional(cursor.index) { return true }
        guard let word = cursor.word() else { return false }
        return SwiftKeywords.introducers.contains(word) || SwiftKeywords.modifiers.contains(word)
    }

    /// What can't be handled, at its place.
    func error(at token: SwiftToken, _ message: String) -> GeneratorError {
        let column = cursor.source.column(of: token.range.lowerBound)
        return GeneratorError(file.path, token.line, column: column, message)
    }

    private mutating func parseImport() {
        // Attributes and access levels before it are part of what is copied.
        let tokens = cursor.source.tokens
        var first = cursor.index
        while first > 0, tokens[first - 1].line == tokens[cursor.index].line { first -= 1 }
        cursor.advance()
        let kinds: Set<String> = [
            "typealias", "struct", "class", "enum", "protocol", "let", "var", "func",
        ]
        if kinds.contains(cursor.word() ?? "") { cursor.advance() }
        guard let module = cursor.takeWord() else { return }
        while cursor.isAt("."), cursor.word(ahead: 1) != nil {
            cursor.advance()
            cursor.advance()
        }
        file.imports.append(
            ImportStatement(
                text: cursor.text(from: tokens[first].range.lowerBound),
                module: module,
                conditions: conditions.all
            )
        )
    }
}
