import SwiftSource

extension SwiftCursor {
    /// Whether the next name is one that key-value coding may look for.
    func startsConvention() -> Bool {
        guard let name = word(ahead: 1) else { return false }
        return name.hasPrefix(NamedConvention.validation)
            || name.hasPrefix(NamedConvention.dependencies)
    }
}

extension DeclarationParser {
    /// `func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws`,
    /// `class func keyPathsForValuesAffectingTitle() -> Set<String>`: notes its name.
    mutating func parseConvention(_ prefix: Prefix, in parent: Declaration?) throws {
        let isFunction = cursor.word() == "func"
        cursor.advance()
        guard let parent, let name = cursor.takeWord() else { return try skipStatement() }
        let parameters = isFunction ? parseParameters() : []
        let isThrowing = cursor.word() == "throws"
        if let kind = Self.kind(name, parameters, isFunction, isThrowing, prefix.isStatic) {
            parent.conventions.append(
                NamedConvention(
                    name: name,
                    kind: kind,
                    prefix: prefix,
                    conditions: conditions.conditions(from: depthOfBody)
                )
            )
        }
        if !isAtEndOfStatement { try skipStatement() }
    }

    private static func kind(
        _ name: String,
        _ parameters: [ManagedFunction.Parameter],
        _ isFunction: Bool,
        _ isThrowing: Bool,
        _ isStatic: Bool
    ) -> NamedConvention.Kind? {
        if name.hasPrefix(NamedConvention.dependencies) {
            return isStatic && parameters.isEmpty ? .dependencies(isFunction: isFunction) : nil
        }
        // Clients have methods that are called like these and take something else.
        guard !isStatic, let first = parameters.first,
            first.type.hasPrefix("AutoreleasingUnsafeMutablePointer<")
        else { return nil }
        if name == "validateValue", parameters.map(\.label) == ["_", "forKey"] {
            return .validationOfAllKeys
        }
        guard parameters.count == 1 else { return nil }
        return .validator(label: first.label, throws: isThrowing)
    }
}
