import SwiftSource

/// Names bundles of classes that are asked for resources other than models.
///
/// Models are found in the packages' bundles, too; Foundation looks for other resources in the
/// program's folder only, where packages have none.
enum ClassBundles {
    private static let modelExtensions: Set<String> = ["\"momd\"", "\"mom\"", "\"cdm\""]

    static func apply(to file: inout PortingFile) {
        let source = file.source
        let active = file.activeTokens
        guard active.contains(where: { asksForOther($0, in: source) }) else { return }
        for index in active
        where source.isToken(index, "Bundle") && source.isToken(index + 1, "(")
            && source.isToken(index + 2, "for") && source.isToken(index + 3, ":")
        {
            file.leave(
                index,
                "on Linux the bundle of a class has no resources of packages but models: write "
                    + "Bundle.module"
            )
        }
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
