import SwiftSource

/// The parts of a source that run on later systems only: declarations with `@available` and the bodies
/// of `if #available`.
struct AvailableRanges {
    /// How the systems that came in one year are written together.
    private static let spelled: [Double: String] = [
        14: "macOS 11, iOS 14, tvOS 14, watchOS 7, *",
        15: "macOS 12, iOS 15, tvOS 15, watchOS 8, *",
        16: "macOS 13, iOS 16, tvOS 16, watchOS 9, *",
        17: "macOS 14, iOS 17, tvOS 17, watchOS 10, *",
        18: "macOS 15, iOS 18, tvOS 18, watchOS 11, *",
        26.4: "macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, *",
    ]

    private let parts: [(tokens: ClosedRange<Int>, version: Double)]
    /// Lists of systems that are written in another way, with their lines.
    let misspelled: [String]

    init(_ source: SwiftSource) {
        var parts: [(ClosedRange<Int>, Double)] = []
        var misspelled: [String] = []
        for index in source.tokens.indices {
            guard let list = source.listOfSystems(index), let end = source.closingBracket(of: list)
            else { continue }
            let inside = source.tokens[list].range.upperBound..<source.tokens[end].range.lowerBound
            let text = source.text(inside)
            // `@available(*, unavailable)` and the like are about no system.
            if text.hasPrefix("*") { continue }
            guard let version = Self.spelled.first(where: { $0.value == text })?.key else {
                misspelled.append("\(source.tokens[index].line): \(text)")
                continue
            }
            if let body = source.body(after: end) { parts.append((index...body, version)) }
        }
        self.parts = parts
        self.misspelled = misspelled
    }

    /// Whether a token is reached on an iOS of this version and later only.
    func covers(_ index: Int, _ version: Double) -> Bool {
        parts.contains { $0.tokens.contains(index) && $0.version >= version }
    }
}

extension SwiftSource {
    /// The parenthesis that begins a list of systems, if the token is its attribute or condition.
    fileprivate func listOfSystems(_ index: Int) -> Int? {
        if isToken(index, "#available") { return index + 1 }
        return isToken(index, "@") && word(index + 1) == "available" ? index + 2 : nil
    }

    /// The end of the braces that come next, outside of other brackets.
    fileprivate func body(after start: Int) -> Int? {
        var index = start + 1
        while index < tokens.count {
            if isToken(index, "{") { return closingBracket(of: index) }
            if isToken(index, "}") { return nil }
            index = (closingBracket(of: index) ?? index) + 1
        }
        return nil
    }
}
