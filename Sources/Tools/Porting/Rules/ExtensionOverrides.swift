import SwiftSource

/// Moves overrides in extensions into the class, if that is in the same file, and names others: only
/// Objective-C can dispatch them.
enum ExtensionOverrides {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        let all = DeclarationList(0..<source.tokens.count, in: source)
        for declaration in all.declarations {
            guard let body = declaration.body, let name = extended(by: declaration, in: source)
            else { continue }
            let home = home(of: name, among: all, behind: declaration, in: file)
            for member in overrides(in: body, of: file) {
                if let home, !holdsConditions(body, in: source) {
                    move(member, of: declaration, to: home, in: &file)
                } else {
                    leave(member, in: &file)
                }
            }
        }
    }

    /// The name behind `extension`.
    private static func extended(
        by declaration: DeclarationList.Declaration,
        in source: SwiftSource
    ) -> String? {
        let start = declaration.tokens.lowerBound
        let introducer = DeclarationPrefix(source, at: start)?.end ?? start
        guard source.isToken(introducer, "extension") else { return nil }
        return EnclosingType.path(from: introducer + 1, in: source)
    }

    /// The closing brace of the class that an extension is of, if the extension adds to all of it.
    private static func home(
        of name: String,
        among all: DeclarationList,
        behind declaration: DeclarationList.Declaration,
        in file: PortingFile
    ) -> Int? {
        let source = file.source
        // In the class, each member would need the constraint of the extension.
        guard !DeclarationList.header(declaration).contains(where: { source.isToken($0, "where") })
        else { return nil }
        let found = all.declarations.first { other in
            let start = other.tokens.lowerBound
            let introducer = DeclarationPrefix(source, at: start)?.end ?? start
            return file.isActive(introducer) && source.isToken(introducer, "class")
                && source.word(introducer + 1) == name
        }
        return found?.body?.upperBound
    }

    /// Conditions would have to be moved with their members.
    private static func holdsConditions(_ body: ClosedRange<Int>, in source: SwiftSource) -> Bool {
        body.contains { source.isConditional($0) }
    }

    private static func overrides(
        in body: ClosedRange<Int>,
        of file: PortingFile
    ) -> [DeclarationList.Declaration] {
        let range = body.lowerBound + 1..<body.upperBound
        return DeclarationList(range, in: file.source).declarations.filter { member in
            let start = member.tokens.lowerBound
            guard let prefix = DeclarationPrefix(file.source, at: start) else { return false }
            let override = prefix.elements.first { $0.name == "override" }?.tokens.lowerBound
            // `ChangeObservers` writes its method without `override`, which an extension may hold.
            return override.map { file.isActive($0) } == true
                && !ChangeObservers.declares(behind: override ?? start, in: file.source)
        }
    }

    private static func leave(
        _ member: DeclarationList.Declaration,
        in file: inout PortingFile
    ) {
        let prefix = DeclarationPrefix(file.source, at: member.tokens.lowerBound)
        let override = prefix?.elements.first { $0.name == "override" }?.tokens.lowerBound
        file.leave(
            override ?? member.tokens.lowerBound,
            "Linux can't override in an extension: move the member into the class"
        )
    }

    /// Moves a member, with the comments above it, to the end of the class.
    private static func move(
        _ member: DeclarationList.Declaration,
        of declaration: DeclarationList.Declaration,
        to brace: Int,
        in file: inout PortingFile
    ) {
        let source = file.source
        let first = member.tokens.lowerBound
        let lineEnd = newline(behind: source.tokens[first - 1].range.upperBound, in: source)
        // A comment in the line of the member before is about that member.
        let comment = source.comments(before: first).first { $0.lowerBound > lineEnd }
        let start = source.lineStart(
            of: comment?.lowerBound ?? source.tokens[first].range.lowerBound
        )
        let end = min(
            newline(behind: source.tokens[member.tokens.upperBound].range.upperBound, in: source)
                + 1,
            source.bytes.count
        )
        // On one line with something else nothing can be cut out.
        guard source.tokens[first].isFirstInLine, start > lineEnd,
            source.tokens[brace].isFirstInLine,
            source.tokens[member.tokens.upperBound + 1].isFirstInLine
        else { return leave(member, in: &file) }
        var text = source.text(start..<end)
        let prefix = DeclarationPrefix(source, at: declaration.tokens.lowerBound)
        // An extension's access is its members' default, which they would lose in the class.
        if let access = prefix?.elements.first(where: { accesses.contains($0.name) })?.name,
            !hasAccess(member, in: source)
        {
            let offset = source.tokens[first].range.lowerBound - start
            let bytes = Array(text.utf8)
            text =
                String(decoding: bytes[..<offset], as: UTF8.self) + access + " "
                + String(decoding: bytes[offset...], as: UTF8.self)
        }
        file.replace(start..<end, with: "")
        file.insert(
            source.lineEnding + text,
            at: source.lineStart(of: source.tokens[brace].range.lowerBound)
        )
        file.note(first, "an override in an extension: moved into the class")
    }

    private static let accesses: Set<String> = ["public", "fileprivate", "private", "package"]

    private static func hasAccess(
        _ member: DeclarationList.Declaration,
        in source: SwiftSource
    ) -> Bool {
        DeclarationPrefix(source, at: member.tokens.lowerBound)?.elements
            .contains { accesses.contains($0.name) || $0.name == "open" || $0.name == "internal" }
            ?? false
    }

    private static func newline(behind offset: Int, in source: SwiftSource) -> Int {
        source.bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? source.bytes.count
    }
}
