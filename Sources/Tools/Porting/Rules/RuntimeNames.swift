import SwiftSource

/// Names selectors that are put together at run time and blocks of Objective-C: both compile, or fail
/// with a message about something else, and lead nowhere on Linux.
enum RuntimeNames {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens {
            if source.isToken(index, "@"), source.isToken(index + 1, "convention"),
                source.isToken(index + 2, "("), source.isToken(index + 3, "block")
            {
                file.leave(
                    index,
                    "Linux has no blocks of Objective-C: write a Swift closure, or put this into "
                        + "#if canImport(ObjectiveC)"
                )
            } else if isMadeAtRunTime(index, in: source) {
                file.leave(
                    index,
                    "on Linux a selector that is made at run time leads to no method: call the "
                        + "method, or choose it with a switch"
                )
            }
        }
    }

    /// Whether `Selector(name)` or `NSSelectorFromString(…)` begins here, with something else than a
    /// comparison, which sort descriptors know by name.
    private static func isMadeAtRunTime(_ index: Int, in source: SwiftSource) -> Bool {
        guard source.isToken(index + 1, "("), let end = source.closingBracket(of: index + 1) else {
            return false
        }
        let argument = index + 2..<end
        let isComparison =
            argument.count == 1 && source.tokens[argument.lowerBound].kind == .string
            && source.text(source.tokens[argument.lowerBound]).lowercased().hasSuffix("compare:\"")
        if source.isToken(index, "NSSelectorFromString") { return !isComparison }
        // A string is the rule's for strings; further arguments are made by the rule for selectors.
        return source.isToken(index, "Selector") && !source.isToken(index - 1, ".")
            && argument.count == 1 && source.word(argument.lowerBound) != nil
    }
}
