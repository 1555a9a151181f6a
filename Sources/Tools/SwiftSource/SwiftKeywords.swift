/// The words that declarations begin with.
///
/// Source: "Declarations" in The Swift Programming Language.
package enum SwiftKeywords {
    /// What declares or extends a type with members.
    package static let types: Set<String> = [
        "class", "struct", "enum", "actor", "protocol", "extension",
    ]

    /// What says what is declared, types included.
    package static let introducers: Set<String> = types.union([
        "var", "let", "func", "init", "deinit", "subscript", "typealias", "associatedtype", "case",
        "import", "operator", "precedencegroup", "macro",
    ])

    /// What may stand before these; `class` before a member is not among them.
    package static let modifiers: Set<String> = [
        "open", "public", "package", "internal", "fileprivate", "private", "final", "static",
        "dynamic", "lazy", "weak", "unowned", "optional", "override", "required", "convenience",
        "mutating", "nonmutating", "indirect", "nonisolated", "isolated", "distributed", "prefix",
        "postfix", "infix", "consuming", "borrowing",
    ]
}
