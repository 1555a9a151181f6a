import SwiftSource

/// Leads calls of `NSObject`'s members on `AnyObject` by `NSObject`: only Objective-C looks up
/// members of any object.
///
///     (a as AnyObject as! NSObject).isEqual(b)
enum AnyObjectMembers {
    private static let members: Set<String> = [
        "isEqual", "hash", "description", "debugDescription", "isKind", "isMember", "copy",
        "mutableCopy",
    ]

    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens
        where source.isToken(index, "AnyObject") && source.isToken(index - 1, "as") {
            let isOptional = source.isToken(index + 1, "?")
            let parenthesis = isOptional ? index + 2 : index + 1
            guard source.isToken(parenthesis, ")"),
                source.isToken(parenthesis + 1, ".") || source.isToken(parenthesis + 1, "?."),
                source.word(parenthesis + 2).map(members.contains) == true
            else { continue }
            let end = source.tokens[isOptional ? index + 1 : index].range.upperBound
            let cast = isOptional ? " as? NSObject" : " as! NSObject"
            file.insert(cast, at: end)
            file.note(index, "a member of AnyObject: \(cast.dropFirst())")
        }
    }
}
