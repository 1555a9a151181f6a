import SwiftSource

/// Names bundles of classes that are asked for resources other than models.
///
/// Models are found in the packages' bundles, too; Foundation looks for other resources in the
/// program's folder only, where packages have none.
enum ClassBundles {
    private static let modelExtensions: Set<String> = ["\"momd\"", "\"mom\"", "\"cdm\""]

    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens
        where source.isToken(index, "Bundle") && source.isToken(index + 1, "(")
            && source.isToken(index + 2, "for") && source.isToken(index + 3, ":")
        {
            guard let end = source.closingBracket(of: index + 1),
                asksForOther(behind: end, in: source) || isKeptAndAsked(index, in: file)
            else { continue }
            file.leave(
                index,
                "on Linux the bundle of a class has no resources of packages but models: write "
                    + "Bundle.module"
            )
        }
    }

    /// Whether the bundle is put into a constant that is asked.
    private static func isKeptAndAsked(_ index: Int, in file: PortingFile) -> Bool {
        let source = file.source
        guard source.isToken(index - 1, "="), let name = source.word(index - 2) else {
            return false
        }
        return file.activeTokens.contains {
            // `other.bundle` is another one.
            source.word($0) == name
                && (!source.isToken($0 - 1, ".") || source.isToken($0 - 2, "self"))
                && asksForOther(behind: $0, in: source)
        }
    }

    /// Whether `.url(forResource:…)` or its like follows an expression.
    private static func asksForOther(behind end: Int, in source: SwiftSource) -> Bool {
        source.isToken(end + 1, ".") && source.isToken(end + 3, "(")
            && asksForOther(end + 4, in: source)
    }

    /// `url(forResource:withExtension:)` or `path(forResource:ofType:)` of what may be no model.
    private static func asksForOther(_ index: Int, in source: SwiftSource) -> Bool {
        guard source.isToken(index, "forResource"), source.isToken(index - 1, "("),
            source.isToken(index + 1, ":"), let end = source.closingBracket(of: index - 1)
        else { return false }
        let label = (index..<end).first {
            (source.isToken($0, "withExtension") || source.isToken($0, "ofType"))
                && source.isToken($0 + 1, ":")
        }
        guard let label else { return true }
        return !modelExtensions.contains(source.text(source.tokens[label + 2]))
    }
}
