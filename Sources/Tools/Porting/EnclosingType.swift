import SwiftSource

/// The type that a member is in.
enum EnclosingType {
    /// Its name with those of the types around it; nil within a function, or outside of all types.
    static func name(of index: Int, in source: SwiftSource) -> String? {
        var names: [String] = []
        for opening in 0..<index where source.isToken(opening, "{") {
            guard let closing = source.closingBracket(of: opening), closing > index else {
                continue
            }
            // A brace of a function: its types have no name outside of it, where `ChangeObservers`
            // would extend them.
            guard let name = name(before: opening, in: source) else { return nil }
            names.append(name)
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }

    /// The name that the innermost type or extension around a token is declared with, within
    /// functions too.
    static func innermost(around index: Int, in source: SwiftSource) -> String? {
        (0..<index).reversed().lazy
            .filter { opening in
                source.isToken(opening, "{")
                    && source.closingBracket(of: opening).map { $0 > index } == true
            }
            .compactMap { name(before: $0, in: source) }
            .first
    }

    /// Whether only types are around a token.
    static func isOutsideOfFunctions(_ index: Int, in source: SwiftSource) -> Bool {
        (0..<index).allSatisfy { opening in
            guard source.isToken(opening, "{"), let closing = source.closingBracket(of: opening),
                closing > index
            else { return true }
            return name(before: opening, in: source) != nil
        }
    }

    private static func name(before opening: Int, in source: SwiftSource) -> String? {
        let introducers: Set<String> = ["class", "struct", "enum", "actor", "extension"]
        var index = opening - 1
        while index >= 0, !source.isToken(index, "{"), !source.isToken(index, "}"),
            !source.isToken(index, ";")
        {
            // A constraint `T: class` is no introducer.
            if let word = source.word(index), introducers.contains(word),
                !source.isToken(index - 1, ":"), !source.isToken(index - 1, ",")
            {
                return path(from: index + 1, in: source)
            }
            index -= 1
        }
        return nil
    }

    /// The dotted name that begins at a token.
    static func path(from start: Int, in source: SwiftSource) -> String? {
        // `class func` and `class var` declare members, not a class.
        guard var path = source.word(start), path != "func", path != "var" else { return nil }
        var index = start + 1
        while source.isToken(index, "."), let part = source.word(index + 1) {
            path += "." + part
            index += 2
        }
        return path
    }
}
