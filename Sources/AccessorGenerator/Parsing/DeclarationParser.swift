/// Finds the types of a file, and the `@NSManaged` members in them.
///
/// Everything else is skipped from one line that begins a declaration to the next; function bodies
/// are skipped as a whole.
struct DeclarationParser {
    private static let typeKeywords: Set<String> = [
        "class", "struct", "enum", "actor", "protocol", "extension",
    ]
    private static let otherKeywords: Set<String> = [
        "var", "let", "func", "init", "deinit", "subscript", "typealias", "associatedtype", "case",
        "import", "operator", "precedencegroup", "macro",
    ]
    private static let modifiers: Set<String> = [
        "public", "private", "fileprivate", "internal", "open", "package", "final", "static",
        "lazy",
        "weak", "unowned", "dynamic", "optional", "required", "convenience", "override", "mutating",
        "nonmutating", "indirect", "nonisolated", "prefix", "infix", "postfix", "distributed",
        "isolated", "consuming", "borrowing",
    ]

    var cursor: TokenCursor
    let file: ParsedFile
    var conditions = ConditionStack()
    /// How many `#if`s are around the body that is being read.
    var depthOfBody = 0

    init(_ source: SourceText) {
        cursor = TokenCursor(source)
        file = ParsedFile(path: source.path)
    }

    /// - Throws: ``GeneratorError`` for a managed member that can't be handled.
    static func parse(path: String, bytes: [UInt8]) throws -> ParsedFile {
        var parser = DeclarationParser(try SourceText(path: path, bytes: bytes))
        while parser.cursor.current != nil {
            try parser.parseItems(in: nil)
            // A closing brace too many: the compiler will say so.
            parser.cursor.advance()
        }
        return parser.file
    }

    /// The declarations up to the end of a body or of the file.
    mutating func parseItems(in parent: Declaration?) throws {
        while cursor.current != nil, !cursor.isAt("}") { try parseItem(in: parent) }
    }

    private mutating func parseItem(in parent: Declaration?) throws {
        if cursor.take(";") { return }
        var prefix = Prefix()
        while true {
            if takeDirective() { continue }
            if cursor.isAt("@") {
                parseAttribute(&prefix)
            } else if !takeModifier(&prefix) {
                break
            }
        }
        guard let word = cursor.word() else { return try skipStatement() }
        noteSelector(&prefix)
        if Self.typeKeywords.contains(word), cursor.word(1) != nil {
            try parseType(prefix, in: parent)
        } else {
            switch word {
            case "import": parseImport()
            case "typealias": parseAlias(prefix, in: parent)
            case "var" where prefix.isManaged: try parseProperty(prefix, in: parent)
            case "func" where prefix.isManaged: try parseFunction(prefix, in: parent)
            case "var": try parseVariable(prefix, in: parent)
            default: try skipStatement()
            }
        }
    }

    // MARK: Before a declaration

    private mutating func parseAttribute(_ prefix: inout Prefix) {
        noteSelector(&prefix)
        let start = cursor.index
        cursor.advance()
        let name = cursor.takeWord()
        while cursor.isAt("."), cursor.word(1) != nil {
            cursor.advance()
            cursor.advance()
        }
        if cursor.isAt("<"), cursor.isAdjacent() { cursor.skipAngles() }
        if cursor.isAt("("), cursor.isAdjacent() { cursor.skipGroup() }
        switch name {
        case "NSManaged": prefix.isManaged = true
        case "available", "_spi": prefix.availability.append(cursor.text(from: start))
        case "objcMembers": prefix.exposesMembers = true
        case "objc":
            prefix.isExposed = true
            let text = cursor.text(from: start).dropFirst("@objc".count)
            if !text.isEmpty { prefix.selector = String(text.dropFirst().dropLast()) }
        default: if name?.hasSuffix("Actor") == true { prefix.isIsolated = true }
        }
    }

    private mutating func takeModifier(_ prefix: inout Prefix) -> Bool {
        guard let word = cursor.word() else { return false }
        let isClassModifier =
            word == "class"
            && ["var", "let", "func", "subscript"].contains(cursor.word(1) ?? "")
            || word == "class" && Self.modifiers.contains(cursor.word(1) ?? "")
        guard Self.modifiers.contains(word) || isClassModifier else { return false }
        noteSelector(&prefix)
        cursor.advance()
        var isSetter = false
        if cursor.isAt("("), cursor.isAdjacent() {
            isSetter = cursor.word(1) == "set"
            cursor.skipGroup()
        }
        if word == "override" { prefix.isOverride = true }
        if word == "static" || word == "class" { prefix.isStatic = true }
        if word == "dynamic" { prefix.isExposed = true }
        if let access = Access(word: word) {
            if isSetter { prefix.setterAccess = access } else { prefix.access = access }
        }
        return true
    }

    private func noteSelector(_ prefix: inout Prefix) {
        if let selector = cursor.current?.selectorInComment { prefix.selector = selector }
    }

    /// Takes `#if` and its like, which stand first on their lines.
    private mutating func takeDirective() -> Bool {
        guard cursor.isAt("#"), cursor.isAdjacent(1),
            let word = cursor.word(1), ["if", "elseif", "else", "endif"].contains(word),
            let line = cursor.current?.line
        else { return false }
        cursor.advance()
        cursor.advance()
        let start = cursor.index
        while let token = cursor.current, token.line == line || !token.isFirstOnLine {
            cursor.advance()
        }
        conditions.take(word, cursor.text(from: start))
        return true
    }

    // MARK: What is skipped

    /// Skips to the next line that begins a declaration, or to the end of the body.
    mutating func skipStatement() throws {
        repeat {
            if let managed = cursor.skipGroup() {
                throw GeneratorError(
                    file.path,
                    managed.line,
                    column: cursor.source.column(managed.range.lowerBound),
                    "an @NSManaged member of a class within a function: move the class out of it"
                )
            }
            if cursor.isAt(";") {
                cursor.advance()
                return
            }
        } while !isAtEndOfStatement
    }

    var isAtEndOfStatement: Bool {
        guard let token = cursor.current else { return true }
        if cursor.isAt("}") || cursor.isAt(";") { return true }
        guard token.isFirstOnLine else { return false }
        if cursor.isAt("@") { return true }
        if cursor.isAt("#"), ["if", "elseif", "else", "endif"].contains(cursor.word(1) ?? "") {
            return true
        }
        guard let word = cursor.word() else { return false }
        return Self.typeKeywords.contains(word) || Self.otherKeywords.contains(word)
            || Self.modifiers.contains(word)
    }

    private mutating func parseImport() {
        let start = cursor.index
        // Attributes and access levels before it are part of what is copied.
        var first = start
        while first > 0, cursor.source.tokens[first - 1].line == cursor.source.tokens[start].line {
            first -= 1
        }
        cursor.advance()
        let kinds: Set<String> = [
            "typealias", "struct", "class", "enum", "protocol", "let", "var", "func",
        ]
        if kinds.contains(cursor.word() ?? "") { cursor.advance() }
        guard let module = cursor.takeWord() else { return }
        while cursor.isAt("."), cursor.word(1) != nil {
            cursor.advance()
            cursor.advance()
        }
        file.imports.append(
            ImportStatement(
                text: cursor.text(from: first),
                module: module,
                conditions: conditions.all
            )
        )
    }
}
