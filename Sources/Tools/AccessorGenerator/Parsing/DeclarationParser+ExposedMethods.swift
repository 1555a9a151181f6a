import SwiftSource

extension DeclarationParser {
    /// Whether a function is a method of instances that Objective-C sees.
    func isExposedMethod(_ prefix: Prefix, in parent: Declaration?) -> Bool {
        guard let parent, !prefix.isStatic, !prefix.isOverride else { return false }
        // A name that is commented out is one, too.
        return prefix.isExposed || prefix.selector != nil || parent.prefix.exposesMembers
            || parent.kind == .extension && parent.prefix.isExposed
    }

    /// `func title(of note: NSManagedObject) -> String`: notes its name.
    mutating func parseExposedMethod(_ prefix: Prefix, in parent: Declaration?) throws {
        cursor.advance()
        // What members of a class Objective-C does not see, generic and asynchronous ones, may stand
        // in one whose members it sees.
        guard let parent, let name = cursor.takeWord(), cursor.isAt("(") else {
            return try skipStatement()
        }
        let parameters = parseParameters()
        let isThrowing = cursor.word() == "throws"
        if isThrowing { cursor.advance() }
        if cursor.isAtArrow, !parameters.contains(where: { $0.type.hasPrefix("inout ") }) {
            parent.exposedMethods.append(
                ExposedMethod(
                    name: name,
                    labels: parameters.map(\.label),
                    isThrowing: isThrowing,
                    prefix: prefix,
                    conditions: conditions.conditions(from: depthOfBody)
                )
            )
        }
        if !isAtEndOfStatement { try skipStatement() }
    }
}
