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
        let body = cursor
        if !isAtEndOfStatement { try skipStatement() }
        guard hasPlainGetter else { return }
        for name in names {
            parent.variables.append(
                Variable(
                    name: name,
                    prefix: prefix,
                    standsOnOwnKey: Self.asks(forKey: name, from: body, to: cursor.index),
                    conditions: conditions.conditions(from: depthOfBody)
                )
            )
        }
    }

    /// Whether a body begins with `get async` or `get throws`.
    private var getterHasEffects: Bool {
        cursor.word(1) == "get" && ["async", "throws"].contains(cursor.word(2) ?? "")
    }

    /// Whether code asks for or sets the value for a key, or one that can't be told.
    private static func asks(forKey name: String, from start: TokenCursor, to end: Int) -> Bool {
        let calls: Set<String> = [
            "value", "setValue", "primitiveValue", "setPrimitiveValue", "willAccessValue",
            "didAccessValue", "willChangeValue", "didChangeValue",
        ]
        var cursor = start
        var call = ""
        while cursor.index < end {
            if let word = cursor.word(), calls.contains(word) { call = word }
            if cursor.word() == "forKey", cursor.isAt(":", 1),
                ["value", "setValue"].contains(call),
                let key = cursor.token(2)
            {
                let isOther = key.kind == .literal && cursor.source.text(key.range) != "\"\(name)\""
                if !isOther { return true }
            }
            cursor.advance()
        }
        return false
    }
}
