import Foundation

/// Why a predicate, an expression or a sort descriptor can't be used.
struct QueryError: Error, Equatable, CustomStringConvertible, LocalizedError {
    enum Kind: Equatable {
        /// The format string is malformed.
        case syntax(position: Int)
        /// A key that the entity lacks.
        case unknownKey(String, entity: String)
        /// What this kind of store can't do.
        case unsupported
    }
    let kind: Kind
    /// One sentence that says what is wrong and what to do.
    let message: String

    var description: String { message }
    var errorDescription: String? { message }

    static func unsupported(_ message: String) -> QueryError {
        QueryError(kind: .unsupported, message: message)
    }
    /// In Apple's words.
    static func unknownKey(_ keyPath: String, entity: String) -> QueryError {
        QueryError(
            kind: .unknownKey(keyPath, entity: entity),
            message: "keypath \(keyPath) not found in entity \(entity)"
        )
    }
    static func toManyNotAllowed(_ keyPath: String) -> QueryError {
        .unsupported(
            "to-many key not allowed here: \(keyPath) leads to many objects; "
                + "put ANY, ALL or NONE before it."
        )
    }
    static func malformedPattern(_ pattern: String) -> QueryError {
        // Foundation's own words for it are that the operation could not be completed.
        .unsupported(
            "Can't open pattern \"\(pattern)\" as a regular expression: it is malformed. Close its "
                + "parentheses and brackets, and put \\ before characters that stand for themselves."
        )
    }
    static func unboundVariable(_ name: String) -> QueryError {
        .unsupported(
            "Can't get value for '\(name)' in bindings: write the value in place of $\(name), or give it with "
                + "withSubstitutionVariables(_:)."
        )
    }
}

extension QueryError: CustomNSError {
    static var errorDomain: String { NSCocoaErrorDomain }
    /// 2048, `NSFormattingError`, for format strings; else 134060, `NSCoreDataError`.
    var errorCode: Int {
        if case .syntax = kind { 2048 } else { 134060 }
    }
    var errorUserInfo: [String: Any] {
        var info = [NSLocalizedDescriptionKey: message, "reason": message]
        // For who can tell the user which keys there are.
        if case .unknownKey(let keyPath, let entity) = kind {
            info["keyPath"] = keyPath
            info["entity"] = entity
        }
        return info
    }
}
