import SwiftSource

extension DeclarationParser {
    /// `var a, b: String?, c: Int`: names without a type have that of the next one that has.
    mutating func parseProperty(_ prefix: Prefix, in parent: Declaration?) throws {
        guard let keyword = cursor.current else { return }
        guard let parent else {
            throw error(at: keyword, "an @NSManaged property outside a class")
        }
        cursor.advance()
        var waiting: [(name: String, token: SwiftToken)] = []
        repeat {
            guard let token = cursor.current, let name = cursor.takeWord() else { break }
            waiting.append((name, token))
            guard cursor.take(":") else { continue }
            let start = cursor.offset
            cursor.skipType()
            let type = cursor.text(from: start)
            for (name, token) in waiting {
                parent.properties.append(
                    ManagedProperty(
                        name: Self.plain(name),
                        type: type,
                        prefix: prefix,
                        conditions: conditions.conditions(from: depthOfBody),
                        line: token.line,
                        column: cursor.source.column(of: token.range.lowerBound)
                    )
                )
            }
            waiting = []
        } while cursor.take(",")
        if let (name, token) = waiting.first {
            throw error(at: token, "the @NSManaged property \(name) has no type: write one")
        }
        if !isAtEndOfStatement { try skipStatement() }
    }

    mutating func parseFunction(_ prefix: Prefix, in parent: Declaration?) throws {
        guard let keyword = cursor.current else { return }
        guard let parent else {
            throw error(at: keyword, "an @NSManaged function outside a class")
        }
        cursor.advance()
        guard let token = cursor.current, let name = cursor.takeWord() else { return }
        if cursor.isAt("<") {
            throw error(
                at: token,
                "the @NSManaged function \(name) is generic: write out its types"
            )
        }
        let parameters = parseParameters()
        if let word = cursor.word(), ["async", "throws", "rethrows"].contains(word) {
            throw error(at: token, "the @NSManaged function \(name) is \(word): no accessor is")
        }
        var returnType: String?
        if cursor.isAtArrow {
            cursor.advance()
            cursor.advance()
            let start = cursor.offset
            cursor.skipType()
            returnType = cursor.text(from: start)
        }
        parent.functions.append(
            ManagedFunction(
                name: Self.plain(name),
                parameters: parameters,
                // Without a result the accessor calls; with one it would read a value, and take it
                // from nothing.
                returnType: ["Void", "()"].contains(returnType) ? nil : returnType,
                prefix: prefix,
                conditions: conditions.conditions(from: depthOfBody),
                line: token.line,
                column: cursor.source.column(of: token.range.lowerBound)
            )
        )
        if !isAtEndOfStatement { try skipStatement() }
    }

    mutating func parseParameters() -> [ManagedFunction.Parameter] {
        var parameters: [ManagedFunction.Parameter] = []
        guard cursor.take("(") else { return [] }
        while !cursor.isAtEnd, !cursor.isAt(")") {
            let label = cursor.takeWord() ?? "_"
            // A second word is the parameter's name in the body, which no caller sees.
            if !cursor.isAt(":") { cursor.advance() }
            guard cursor.take(":") else { break }
            let start = cursor.offset
            cursor.skipType()
            let type = cursor.text(from: start)
            parameters.append(ManagedFunction.Parameter(label: label, type: type))
            // What is left is a default value, on which the function's symbol does not depend.
            while !cursor.isAtEnd, !cursor.isAt(","), !cursor.isAt(")") { cursor.skipGroup() }
            _ = cursor.take(",")
        }
        _ = cursor.take(")")
        return parameters
    }

    /// A name without backticks.
    private static func plain(_ name: String) -> String { name.filter { $0 != "`" } }
}
