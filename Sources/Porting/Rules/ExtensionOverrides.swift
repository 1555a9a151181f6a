import SwiftSource

/// Names overrides in extensions, which only Objective-C can dispatch.
enum ExtensionOverrides {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens where source.isToken(index, "extension") {
            guard source.word(index + 1) != nil, !source.isToken(index - 1, "."),
                let opening = (index + 1..<source.tokens.count).first(where: {
                    source.isToken($0, "{")
                }),
                let closing = source.closingBracket(of: opening)
            else { continue }
            var member = opening + 1
            while member < closing {
                if source.isToken(member, "override"), file.isActive(member),
                    !ChangeObservers.declares(behind: member, in: source)
                {
                    file.leave(
                        member,
                        "Linux can't override in an extension: move the member into the class"
                    )
                }
                // What a nested type overrides is in a class body.
                member = (source.closingBracket(of: member) ?? member) + 1
            }
        }
    }
}
