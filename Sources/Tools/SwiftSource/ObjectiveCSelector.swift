/// The names that methods written in Swift have in Objective-C, as the compiler derives them.
///
/// Source: the article "Importing Swift into Objective-C" of Apple's documentation, and what the compiler
/// does: `save(note:)` is `saveWithNote:`, `initial(of:)` is `initialOf:`.
public enum ObjectiveCSelector {
    /// The name of a method that throws nothing.
    ///
    /// - Parameter labels: Those of its parameters, `_` for none.
    public static func name(_ method: String, _ labels: [String]) -> String {
        guard let first = labels.first else { return method }
        let rest = labels.dropFirst().map { ($0 == "_" ? "" : $0) + ":" }.joined()
        if first == "_" { return "\(method):\(rest)" }
        let hasPreposition =
            prepositions.contains(firstWord(of: first))
            || prepositions.contains(lastWord(of: method))
        let joint = hasPreposition ? "" : "With"
        return "\(method)\(joint)\(first.prefix(1).uppercased())\(first.dropFirst()):\(rest)"
    }

    /// Words that need no "with" before or after them.
    private static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following",
        "for", "from", "given", "in", "including", "inside", "into", "matching", "of", "on",
        "passing", "preceding", "since", "to", "until", "using", "via", "when", "with", "within",
    ]

    private static func firstWord(of name: String) -> String {
        String(name.prefix(1) + name.dropFirst().prefix { !$0.isUppercase }).lowercased()
    }

    private static func lastWord(of name: String) -> String {
        guard let start = name.lastIndex(where: \.isUppercase) else { return name }
        return name[start...].lowercased()
    }
}
