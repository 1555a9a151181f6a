import SwiftSource

/// Gives optional methods of protocols a default that does nothing, where they return nothing; calls
/// then go without `?`.
///
///     #if canImport(ObjectiveC)
///     @objc optional func didEnd(_ task: Task)
///     #else
///     func didEnd(_ task: Task)
///     #endif
enum OptionalRequirements {
    /// The names of such methods.
    static func names(in source: SwiftSource) -> Set<String> {
        let found = DeclarationPrefix.all(in: source).compactMap { prefix in
            end(of: prefix, in: source).flatMap { _ in source.word(prefix.end + 1) }
        }
        return Set(found)
    }

    /// Rewrites a requirement, and declares its default behind the protocol.
    ///
    /// - Returns: Whether it is one of these.
    static func rewrite(_ prefix: DeclarationPrefix, in file: inout PortingFile) -> Bool {
        let source = file.source
        guard let end = end(of: prefix, in: source),
            let (name, access, brace) = protocolAround(prefix.end, in: source)
        else { return false }
        let start = prefix.elements[0].tokens.lowerBound
        let method = source.text(file.byteRange(prefix.end...end))
        file.wrap(start...end, in: ObjectiveCAttributes.condition, else: method)
        let newline = source.lineEnding
        let lines = [
            "", "", "#if !\(ObjectiveCAttributes.condition)", "extension \(name) {",
            "    \(access)\(method) {}", "}", "#endif",
        ]
        file.insert(lines.joined(separator: newline), at: source.tokens[brace].range.upperBound)
        file.note(start, "an optional method: a default that does nothing, for Linux")
        return true
    }

    /// Rewrites the statements that call such methods.
    static func rewriteCalls(of names: Set<String>, in file: inout PortingFile) {
        let source = file.source
        // A line with several calls gets to the next one in the next pass.
        var rewritten: Set<Int> = []
        for index in file.activeTokens where source.isToken(index + 1, "?") {
            guard let name = source.word(index), names.contains(name),
                source.isToken(index + 2, "("), let end = source.closingBracket(of: index + 2),
                source.isToken(index - 1, ".") || source.isToken(index - 1, "?.")
            else { continue }
            guard let line = line(ofStatement: index, through: end, in: source) else {
                file.leave(index, "on Linux \(name) is not optional: call it without \"?\"")
                continue
            }
            guard rewritten.insert(line.lowerBound).inserted else { continue }
            let whole = file.byteRange(line)
            let mark = source.tokens[index + 1].range
            let copy =
                source.text(whole.lowerBound..<mark.lowerBound)
                + source.text(mark.upperBound..<whole.upperBound)
            file.wrap(line, in: ObjectiveCAttributes.condition, else: copy)
            file.note(index, "\(name)?(…): without \"?\", for Linux")
        }
    }

    /// The lines of a call that is a statement, alone or in a block on one line, such as
    /// `if a { b?.c?() }`; nil if its result is used, or the lines hold a part of something.
    private static func line(
        ofStatement index: Int,
        through end: Int,
        in source: SwiftSource
    ) -> ClosedRange<Int>? {
        var receiver = index
        while source.isToken(receiver - 1, ".") || source.isToken(receiver - 1, "?.") {
            if source.word(receiver - 2) != nil {
                receiver -= 2
            } else if source.isToken(receiver - 2, ")"),
                let opening = source.openingBracket(of: receiver - 2)
            {
                // `(a as? B)?.c?()`, or the arguments of a call.
                receiver = isCall(opening, in: source) ? opening - 1 : opening
            } else {
                break
            }
        }
        let tokens = source.tokens
        guard tokens[receiver].isFirstInLine || source.isToken(receiver - 1, "{"),
            end + 1 == tokens.count || tokens[end + 1].isFirstInLine
                || source.isToken(end + 1, "}")
        else { return nil }
        var first = receiver, last = end
        while first > 0, !tokens[first].isFirstInLine { first -= 1 }
        while last + 1 < tokens.count, !tokens[last + 1].isFirstInLine { last += 1 }
        // A condition around the lines must not hold one bracket of a pair without the other.
        let isWhole = (first...last).allSatisfy { position in
            let other = source.closingBracket(of: position) ?? source.openingBracket(of: position)
            return other.map { (first...last).contains($0) } ?? true
        }
        return isWhole && !source.isToken(first, "}") && !source.isToken(last + 1, "else")
            ? first...last : nil
    }

    /// Whether a parenthesis stands right behind a name.
    private static func isCall(_ opening: Int, in source: SwiftSource) -> Bool {
        source.word(opening - 1) != nil
            && source.tokens[opening - 1].range.upperBound
                == source.tokens[opening].range.lowerBound
    }

    /// The last token of an optional method that returns nothing.
    private static func end(of prefix: DeclarationPrefix, in source: SwiftSource) -> Int? {
        guard prefix.elements.contains(where: { $0.name == "optional" }),
            !prefix.elements.contains(where: { $0.name == "static" }),
            source.isToken(prefix.end, "func"), source.isToken(prefix.end + 2, "("),
            let end = source.closingBracket(of: prefix.end + 2),
            end + 1 == source.tokens.count || source.tokens[end + 1].isFirstInLine
                || source.isToken(end + 1, "}")
        else { return nil }
        return end
    }

    private static func protocolAround(
        _ index: Int,
        in source: SwiftSource
    ) -> (name: String, access: String, brace: Int)? {
        let opening = (0..<index).last { opening in
            source.isToken(opening, "{") && (source.closingBracket(of: opening) ?? 0) > index
        }
        guard let opening, let brace = source.closingBracket(of: opening),
            let word = (0..<opening).last(where: { source.isToken($0, "protocol") }),
            // A brace that closes in between is the protocol's, and this body is of something
            // behind it.
            !(word..<opening).contains(where: { source.isToken($0, "}") }),
            let name = source.word(word + 1)
        else { return nil }
        // Types in other modules get the default only if it is as public as the protocol.
        return (name, source.isToken(word - 1, "public") ? "public " : "", brace)
    }
}
