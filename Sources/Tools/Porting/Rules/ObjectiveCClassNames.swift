import SwiftSource

/// Writes `NSStringFromClass(Article.self)` of a class that says `@objc(Article)` as `"Article"`, for
/// without Objective-C the class's name has its module in front.
enum ObjectiveCClassNames {
    /// The names that classes of a file have in Objective-C, by those in Swift.
    static func names(in source: SwiftSource) -> [String: String] {
        var names: [String: String] = [:]
        for index in source.tokens.indices where source.isToken(index, "objc") {
            guard source.isToken(index - 1, "@"), source.isToken(index + 1, "("),
                source.isToken(index + 3, ")"), let name = source.word(index + 2)
            else { continue }
            var next = index + 4
            // In a source that is ported already the attribute stands in a condition of its own.
            while source.isToken(next, "#endif") { next += 1 }
            next = DeclarationPrefix(source, at: next)?.end ?? next
            if source.isToken(next, "class"), let type = source.word(next + 1),
                !SwiftKeywords.introducers.contains(type)
            {
                names[type] = name
            }
        }
        return names
    }

    static func apply(to file: inout PortingFile, _ names: [String: String]) {
        let source = file.source
        for index in file.activeTokens where source.isToken(index, "NSStringFromClass") {
            guard source.isToken(index + 1, "("), let end = source.closingBracket(of: index + 1),
                source.isToken(end - 1, "self"), source.isToken(end - 2, "."), end - 3 == index + 2,
                let name = source.word(end - 3).flatMap({ names[$0] })
            else { continue }
            let old = source.text(file.byteRange(index...end))
            file.replace(tokens: index...end, with: "\"\(name)\"")
            file.note(index, "\(old): \"\(name)\"")
        }
    }
}
