/// What an argument may be, as far as a shell can help with it: told by how the help names it.
enum ArgumentKind: Equatable {
    /// A file or a folder.
    case file
    /// One of a few words, which stand there as they are: `table|csv|json`.
    case choice([String])
    /// Something that a shell does not know, such as an entity or a number.
    case other

    /// What the help calls an argument that is a file or a folder.
    private static let fileNames: Set = [
        "FILE", "MODEL", "MODELS", "STORE", "FOLDER", "DIR", "OLD", "NEW", "OTHER",
    ]

    /// - Parameter name: The value's name in an option's description, or a word of the operands:
    ///   `FILE…`, `[OTHER]`, `DIR|FILE…`, `show|diff`.
    init(named name: String) {
        let words = name.filter { !"[]…".contains($0) }.split(separator: "|").map(String.init)
        if words.contains(where: Self.fileNames.contains) {
            self = .file
        } else if words.count > 1, words.allSatisfy({ $0 == $0.lowercased() }) {
            self = .choice(words)
        } else {
            self = .other
        }
    }
}

extension CommandSyntax.Option {
    /// What its value may be; nil for a flag.
    var valueKind: ArgumentKind? { valueName.map(ArgumentKind.init(named:)) }
}

extension CommandSyntax {
    /// What each operand may be; the last one stands for all that follow, if it may be repeated.
    var operandKinds: [ArgumentKind] {
        operands.split(separator: " ").map { ArgumentKind(named: String($0)) }
    }

    /// Whether there may be more operands than the help shows.
    var repeatsLastOperand: Bool { operands.contains("…") }
}
