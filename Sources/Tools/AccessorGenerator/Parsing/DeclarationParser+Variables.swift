import SwiftSource

extension DeclarationParser {
    /// `var a: String { … }` without `@NSManaged`: notes its name, for key-value access.
    ///
    /// Of several names after one `var` those up to the first with a value are noted.
    mutating func parseVariable(_ prefix: Prefix, in parent: Declaration?) throws {
        cursor.advance()
        guard let parent, parent.kind == .class || parent.kind == .extension, !prefix.isStatic
        else {
            return try skipStatement()
        }
        var names: [String] = []
        repeat {
            guard let name = cursor.takeWord() else { break }
            names.append(name)
            if cursor.take(":") { cursor.skipType() }
        } while cursor.take(",")
        let hasPlainGetter = !cursor.isAt("{") || !getterHasEffects
        let body = cursor.index
        if !isAtEndOfStatement { try skipStatement() }
        // Swift makes no key path to a property whose getter throws or is asynchronous.
        guard hasPlainGetter else { return }
        for name in names {
            parent.variables.append(
                Variable(
                    name: name,
                    prefix: prefix,
                    standsOnOwnKey: asks(forKey: name, in: body..<cursor.index),
                    conditions: conditions.conditions(from: depthOfBody)
                )
            )
        }
    }

    /// Whether a body begins with `get async` or `get throws`.
    private var getterHasEffects: Bool {
        cursor.word(ahead: 1) == "get"
            && ["async", "throws"].contains(cursor.word(ahead: 2) ?? "")
    }

    /// Whether code asks for or sets the value for a key, or one that can't be told.
    private func asks(forKey name: String, in body: Range<Int>) -> Bool {
        let source = cursor.source
        let calls: Set<String> = [
            "value", "setValue", "primitiveValue", "setPrimitiveValue", "willAccessValue",
            "didAccessValue", "willChangeValue", "didChangeValue",
        ]
        // Primitive values never come from an accessor, so asking for one says nothing about the
        // key.
        var call = ""
        for index in body where source.tokens[index].kind == .word {
            if let word = source.word(index), calls.contains(word) { call = word }
            guard source.isToken(index, "forKey"), source.isToken(index + 1, ":"),
                ["value", "setValue"].contains(call), index + 2 < source.tokens.count
            else { continue }
            let key = source.tokens[index + 2]
            let isLiteral = [.string, .number, .regex].contains(key.kind)
            // A key that is not written out may be the property's own.
            if !isLiteral || source.text(key) == "\"\(name)\"" { return true }
        }
        return false
    }
}
