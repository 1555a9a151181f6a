import SwiftSource

/// Stands in for the identifiers of bundles, which programs and packages lack on Linux.
///
///     (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
///     guard let name = Bundle.main.bundleIdentifier ?? .some(ProcessInfo.processInfo.processName)
///
/// An identifier that is there is taken, so that nothing changes on Apple's platforms. To look a
/// bundle up by its identifier is left to a person, who knows the target that has its resources.
enum BundleIdentifiers {
    private static let name = "ProcessInfo.processInfo.processName"

    static func apply(to file: inout PortingFile) {
        for index in file.activeTokens {
            if file.source.isToken(index, "bundleIdentifier"), file.source.isToken(index - 1, ".") {
                replaceForced(index, in: &file)
                replaceGuarded(index, in: &file)
            } else if file.source.isToken(index, "Bundle") {
                nameLookup(index, in: &file)
            }
        }
    }

    private static func replaceForced(_ index: Int, in file: inout PortingFile) {
        let source = file.source
        // The scanner takes `!.` for one sign.
        let isLast = source.isToken(index + 1, "!")
        guard isLast || source.isToken(index + 1, "!.") else { return }
        guard let start = Operand.start(before: index + 1, in: source) else {
            file.leave(index, "a program has no bundle identifier on Linux: write ?? \(name)")
            return
        }
        // In parentheses, for `??` binds less tightly than the dot behind it.
        file.insert("(", at: source.tokens[start].range.lowerBound)
        file.replace(
            tokens: index + 1...index + 1,
            with: " ?? \(name))" + (isLast ? "" : ".")
        )
        file.note(index, "bundleIdentifier!: or the name of the process")
    }

    /// An identifier without which a function does not go on.
    private static func replaceGuarded(_ index: Int, in file: inout PortingFile) {
        let source = file.source
        guard source.isToken(index + 1, ",") || source.isToken(index + 1, "else"),
            let start = Operand.start(before: index + 1, in: source),
            source.isToken(start - 1, "="), isGuarded(start - 1, in: source)
        else { return }
        // An optional again, since `guard let` takes no other value.
        file.insert(" ?? .some(\(name))", at: source.tokens[index].range.upperBound)
        file.note(index, "bundleIdentifier in a guard: or the name of the process")
    }

    /// Whether a token stands in the conditions of a `guard`.
    private static func isGuarded(_ index: Int, in source: SwiftSource) -> Bool {
        var place = index
        while place > 0, !source.isToken(place, "guard") {
            let ends = ["if", "while", "else", "switch"].contains(source.word(place) ?? "")
            guard !ends, !source.isToken(place, "{"), !source.isToken(place, "}") else {
                return false
            }
            place = (source.openingBracket(of: place) ?? place) - 1
        }
        return source.isToken(place, "guard")
    }

    /// `Bundle(identifier: "…")`, also with `init`.
    private static func nameLookup(_ index: Int, in file: inout PortingFile) {
        let source = file.source
        let hasInit = source.isToken(index + 1, ".") && source.isToken(index + 2, "init")
        let parenthesis = hasInit ? index + 3 : index + 1
        guard source.isToken(parenthesis, "("), source.isToken(parenthesis + 1, "identifier"),
            source.isToken(parenthesis + 2, ":")
        else { return }
        file.leave(
            index,
            "bundles of packages have no identifier: write Bundle.module in the target that has "
                + "the resources, or Bundle(for:) of one of its classes"
        )
    }
}
