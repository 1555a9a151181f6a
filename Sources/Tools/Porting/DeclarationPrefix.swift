import SwiftSource

/// The attributes and modifiers in front of a declaration.
struct DeclarationPrefix {
    /// One attribute or modifier.
    struct Element {
        let name: String
        let isAttribute: Bool
        let tokens: ClosedRange<Int>
    }

    let elements: [Element]
    /// The token behind them: `class`, `func`, ….
    let end: Int

    /// The prefixes of all declarations, in order.
    static func all(in source: SwiftSource) -> [DeclarationPrefix] {
        var prefixes: [DeclarationPrefix] = []
        var index = 0
        while index < source.tokens.count {
            if let prefix = DeclarationPrefix(source, at: index) {
                prefixes.append(prefix)
                index = prefix.end
            } else {
                index += 1
            }
        }
        return prefixes
    }

    /// - Returns: nil if no declaration with a prefix begins there.
    init?(_ source: SwiftSource, at start: Int) {
        guard source.isToken(start, "@") || Self.canBegin(source, at: start) else { return nil }
        var elements: [Element] = []
        var index = start
        while let element = Self.element(source, at: index) {
            elements.append(element)
            index = element.tokens.upperBound + 1
        }
        // A word with a colon behind it is a label of a parameter.
        guard !elements.isEmpty, !source.isToken(index, ":") else { return nil }
        self.elements = elements
        end = index
    }

    /// A word that modifiers share with names begins a declaration only where one may stand.
    private static func canBegin(_ source: SwiftSource, at index: Int) -> Bool {
        guard source.tokens[index].kind == .word else { return false }
        return source.tokens[index].isFirstInLine
            || source.isToken(index - 1, "{") || source.isToken(index - 1, "}")
            || source.isToken(index - 1, ";")
    }

    private static func element(_ source: SwiftSource, at index: Int) -> Element? {
        var cursor = SwiftCursor(source, at: index)
        let isAttribute = cursor.isAt("@")
        let name = isAttribute ? cursor.takeAttribute() : cursor.takeModifier()
        return name.map {
            Element(name: $0, isAttribute: isAttribute, tokens: index...cursor.index - 1)
        }
    }
}
