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

    init(_ file: PortingFile) {
        let source = file.source
        for index in source.tokens.indices {
            guard let name = source.word(index) else { continue }
            if !file.isActive(index) {
                if hidden[name] == nil { hidden[name] = Self.hidden(index, in: file) }
            } else if Self.isDeclared(index, in: source) {
                declared.insert(name)
            } else if Self.isUse(index, in: source) {
                let line = source.tokens[index].line
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

    private static let introducers: Set<String> = [
        "class", "struct", "enum", "actor", "protocol", "typealias", "func", "var", "let", "case",
        "associatedtype",
    ]

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
        let brace = (0..<index).last { opening in
            source.isToken(opening, "{") && (source.closingBracket(of: opening) ?? 0) > index
        }
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
        places.compactMap { name, place in
            line(ofUse: name, place.name, in: file).map { line in
                PortFinding(
                    kind: .left,
                    line: line,
                    message: "\(name) is declared for other platforms only "
                        + "(\(path(place.file)):\(place.name.line)): give Linux one, or put this into "
                        + "the same #if"
                )
            }
        }
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
