import SwiftSource

/// The names that a file declares for Linux, those that it declares for other platforms only, and
/// those that it uses for Linux.
struct NameUses: Sendable {
    /// A declaration that Linux does not compile.
    struct Hidden: Sendable {
        let line: Int
        /// The type that it is a member of; nil for types, and for what is in no type.
        let owner: String?
        /// Whether Linux compiles the braces that it stands in.
        let isPartOfActive: Bool
    }

    /// What Linux compiles.
    private(set) var declared: Set<String> = []
    /// What Linux does not, with the line.
    private(set) var hidden: [String: Hidden] = [:]
    /// Where Linux needs a name first: the line.
    private(set) var used: [String: Int] = [:]
    /// Where Linux needs a name behind a value first: the line.
    private(set) var usedBehindValues: [String: Int] = [:]
    /// Variables of functions that other platforms have and Linux uses: the lines of the declaration
    /// and of the use.
    private(set) var hiddenLocals: [(name: String, line: Int, use: Int)] = []

    init(_ file: PortingFile) {
        let source = file.source
        for index in source.tokens.indices {
            guard let name = source.word(index), !Self.isImported(index, in: source) else {
                continue
            }
            if !file.isActive(index) {
                if hidden[name] == nil { hidden[name] = Self.hidden(index, in: file) }
                noteLocal(name, index, in: file)
            } else if Self.isDeclared(index, in: source) {
                declared.insert(name)
            } else if Self.isUse(index, in: source) {
                let line = source.tokens[index].line
                // Behind a value a name can only be a member, so it does not stand for a type or a
                // global of that name.
                let isBehindValue =
                    source.isToken(index - 1, ".") && !source.isToken(index - 2, "self")
                    || source.isToken(index - 1, "?.")
                if isBehindValue {
                    if usedBehindValues[name] == nil { usedBehindValues[name] = line }
                } else if used[name] == nil {
                    used[name] = line
                }
            }
        }
    }

    /// Notes a variable of a function whose braces go on to use it.
    private mutating func noteLocal(_ name: String, _ index: Int, in file: PortingFile) {
        let source = file.source
        guard source.isToken(index - 1, "let") || source.isToken(index - 1, "var"),
            let opening = Self.brace(around: index, in: source), file.isActive(opening),
            let closing = source.closingBracket(of: opening),
            !EnclosingType.isOutsideOfFunctions(index, in: source)
        else { return }
        let uses = (opening..<closing).filter { source.word($0) == name && file.isActive($0) }
        // Another declaration that Linux compiles, also of an inner block, may be the one that is
        // used.
        guard !uses.contains(where: { Self.isDeclared($0, in: source) }),
            let use = uses.first(where: {
                $0 > index && Self.isUse($0, in: source) && !source.isToken($0 - 1, ".")
            })
        else { return }
        let line = source.tokens[use].line
        // Other branches declare it, too.
        guard !hiddenLocals.contains(where: { $0.name == name && $0.use == line }) else { return }
        hiddenLocals.append((name, source.tokens[index].line, line))
    }

    private static func brace(around index: Int, in source: SwiftSource) -> Int? {
        (0..<index).last { opening in
            source.isToken(opening, "{") && (source.closingBracket(of: opening) ?? 0) > index
        }
    }

    private static let introducers: Set<String> = [
        "class", "struct", "enum", "actor", "protocol", "typealias", "func", "var", "let", "case",
        "associatedtype",
    ]

    /// Whether a word is of an `import`.
    private static func isImported(_ index: Int, in source: SwiftSource) -> Bool {
        var start = index
        while start > 0, !source.tokens[start].isFirstInLine { start -= 1 }
        return source.isToken(index - 1, "import") || source.isToken(start, "import")
            || source.isToken(start, "@") && source.isToken(start + 2, "import")
    }

    private static func isDeclared(_ index: Int, in source: SwiftSource) -> Bool {
        source.word(index - 1).map(introducers.contains) == true
            && !SwiftKeywords.introducers.contains(source.word(index) ?? "")
            // Labels and names of parameters are names, too.
            || source.isToken(index + 1, ":")
            || source.isToken(index + 2, ":") && source.word(index + 1) != nil
    }

    /// A declaration that others may name: no variable of a function, nothing private, and no
    /// override, which the superclass declares.
    private static func hidden(_ index: Int, in file: PortingFile) -> Hidden? {
        let source = file.source
        guard let kind = source.word(index - 1), introducers.contains(kind), kind != "case",
            !SwiftKeywords.introducers.contains(source.word(index) ?? "")
        else { return nil }
        var start = index - 1
        while let word = source.word(start - 1), SwiftKeywords.modifiers.contains(word) {
            if word == "override" || word == "private" || word == "fileprivate" { return nil }
            start -= 1
        }
        guard EnclosingType.isOutsideOfFunctions(index, in: source) else { return nil }
        let isType = SwiftKeywords.types.contains(kind) || kind == "typealias"
        let brace = brace(around: index, in: source)
        return Hidden(
            line: source.tokens[index].line,
            owner: isType ? nil : EnclosingType.innermost(around: index, in: source),
            isPartOfActive: brace.map(file.isActive) ?? true
        )
    }

    /// Whether a word that is no declaration stands for something: no label, and no keyword.
    private static func isUse(_ index: Int, in source: SwiftSource) -> Bool {
        !source.isToken(index + 1, ":")
            && !SwiftKeywords.introducers.contains(source.word(index) ?? "")
            && !SwiftKeywords.modifiers.contains(source.word(index) ?? "")
    }
}

/// The names that only other platforms have, of all files.
struct HiddenNames {
    private var places: [String: (file: Int, name: NameUses.Hidden)] = [:]
    private let declared: Set<String>

    init(_ files: [NameUses]) {
        declared = files.reduce(into: []) { $0.formUnion($1.declared) }
        for (index, file) in files.enumerated() {
            for (name, hidden) in file.hidden where !declared.contains(name) {
                if places[name] == nil { places[name] = (index, hidden) }
            }
        }
    }

    /// The uses of such names in a file.
    ///
    /// - Parameter path: The path of a file.
    func findings(in file: NameUses, path: (Int) -> String) -> [PortFinding] {
        let names = places.compactMap { name, place in
            line(ofUse: name, place.name, in: file).map {
                finding(name, "\(path(place.file)):\(place.name.line)", $0)
            }
        }
        return names
            + file.hiddenLocals.map { finding($0.name, "line \($0.line)", $0.use) }
    }

    private func finding(_ name: String, _ place: String, _ line: Int) -> PortFinding {
        PortFinding(
            kind: .left,
            line: line,
            message: "\(name) is declared for other platforms only (\(place)): give Linux one, or "
                + "put this into the same #if"
        )
    }

    /// A member counts only if Linux has its type: else it can't be reached, and what is called so
    /// is something else.
    private func line(
        ofUse name: String,
        _ hidden: NameUses.Hidden,
        in file: NameUses
    ) -> Int? {
        guard let owner = hidden.owner else { return file.used[name] }
        let last = owner.split(separator: ".").last.map(String.init) ?? owner
        guard hidden.isPartOfActive || declared.contains(last) else { return nil }
        return file.used[name] ?? file.usedBehindValues[name]
    }
}
