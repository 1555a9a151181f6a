import SwiftSource

extension DeclarationParser {
    /// A type or an extension with its members.
    mutating func parseType(_ prefix: Prefix, in parent: Declaration?) throws {
        guard let token = cursor.current, let keyword = cursor.takeWord(),
            let kind = Declaration.Kind(rawValue: keyword)
        else { return }
        let start = cursor.offset
        // What is extended may be qualified or have arguments, unlike the name of a new type.
        if kind == .extension {
            cursor.skipType()
        } else {
            cursor.advance()
        }
        let declaration = Declaration(
            kind: kind,
            name: cursor.text(from: start),
            prefix: prefix,
            line: token.line,
            conditions: conditions.conditions(from: depthOfBody),
            file: file
        )
        parseHeader(of: declaration)
        add(declaration, to: parent)
        guard cursor.take("{") else { return }
        // What is open here holds for the whole type; members name only conditions within its
        // braces, or they would stand in the same `#if` twice.
        let outer = depthOfBody
        depthOfBody = conditions.depth
        try parseItems(in: declaration)
        depthOfBody = outer
        _ = cursor.take("}")
    }

    private mutating func parseHeader(of declaration: Declaration) {
        if cursor.isAt("<") {
            let start = cursor.offset
            cursor.skipAngles()
            declaration.genericParameters = cursor.text(from: start)
        }
        if cursor.take(":") {
            repeat {
                let start = cursor.offset
                cursor.skipType()
                declaration.inherited.append(cursor.text(from: start))
            } while cursor.take(",")
        }
        if cursor.word() == "where" {
            let start = cursor.offset
            while !cursor.isAtEnd, !cursor.isAt("{") { cursor.advance() }
            declaration.whereClause = cursor.text(from: start)
        }
    }

    private func add(_ declaration: Declaration, to parent: Declaration?) {
        declaration.parent = parent
        if let parent {
            parent.children.append(declaration)
        } else {
            file.declarations.append(declaration)
        }
    }

    mutating func parseAlias(_ prefix: Prefix, in parent: Declaration?) {
        guard let token = cursor.current else { return }
        cursor.advance()
        guard let name = cursor.takeWord() else { return }
        let declaration = Declaration(
            kind: .typealias,
            name: name,
            prefix: prefix,
            line: token.line,
            conditions: conditions.conditions(from: depthOfBody),
            file: file
        )
        if cursor.isAt("<") {
            let start = cursor.offset
            cursor.skipAngles()
            declaration.genericParameters = cursor.text(from: start)
        }
        guard cursor.take("=") else { return }
        let start = cursor.offset
        cursor.skipType()
        declaration.aliasedType = cursor.text(from: start)
        add(declaration, to: parent)
    }
}
