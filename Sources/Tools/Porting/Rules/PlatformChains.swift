import SwiftSource

/// Gives Linux the first branch of a chain of `#if os(…)` whose branches declare the same names for
/// several platforms.
///
///     #if os(iOS) || os(tvOS) || os(Linux)
///     let folder = "tmp"
///     #elseif os(macOS)
///     let folder = "T"
///     #endif
///
/// What follows needs the names. Chains with an `#else`, or with names of a user interface, stay.
enum PlatformChains {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in source.tokens.indices where source.isToken(index, "#if") {
            // What is around the chain counts; its first branch is none of Linux's.
            guard index == 0 || file.isActive(index - 1), let chain = Chain(at: index, in: source),
                chain.branches.count > 1
            else {
                continue
            }
            let names = chain.branches.map { declared(in: $0.tokens, source) }
            guard !names[0].isEmpty, names.allSatisfy({ $0 == names[0] }),
                !chain.branches[0].tokens.contains(where: { isForeign($0, source) })
            else { continue }
            let end = source.tokens[chain.branches[0].lastOfCondition].range.upperBound
            file.insert(" || os(Linux)", at: end)
            // Linux compiles the branch from now on, so the rules that follow have to look at it.
            file.activate(chain.branches[0].tokens)
            let condition = source.text(
                source.tokens[index].range.lowerBound..<end
            )
            file.note(
                index,
                "\(condition): for Linux, too, which has no branch for "
                    + names[0].sorted().joined(separator: ", ")
            )
        }
    }

    /// The names that are declared outside of braces.
    private static func declared(in tokens: Range<Int>, _ source: SwiftSource) -> Set<String> {
        var names: Set<String> = []
        var index = tokens.lowerBound
        while index < tokens.upperBound {
            if let word = source.word(index), ["let", "var", "typealias", "func"].contains(word),
                let name = source.word(index + 1)
            {
                names.insert(name)
            }
            index = (source.closingBracket(of: index) ?? index) + 1
        }
        return names
    }

    private static func isForeign(_ index: Int, _ source: SwiftSource) -> Bool {
        source.isToken(index, "import") || source.word(index).map(ModuleUses.isOfInterface) == true
    }
}

/// An `#if` with its `#elseif`s, whose conditions are names of systems and nothing else.
private struct Chain {
    struct Branch {
        let lastOfCondition: Int
        let tokens: Range<Int>
    }

    private(set) var branches: [Branch] = []

    /// - Returns: nil for other conditions, for one that names Linux, and for a chain with `#else`.
    init?(at start: Int, in source: SwiftSource) {
        var index = start
        while true {
            guard let condition = Self.lastOfCondition(behind: index, in: source),
                let next = Self.next(behind: condition, in: source)
            else { return nil }
            branches.append(Branch(lastOfCondition: condition, tokens: condition + 1..<next))
            if source.isToken(next, "#endif") { return }
            guard source.isToken(next, "#elseif") else { return nil }
            index = next
        }
    }

    /// The last token of `os(a) || os(b)`.
    private static func lastOfCondition(behind directive: Int, in source: SwiftSource) -> Int? {
        var index = directive + 1
        while source.isToken(index, "os"), source.isToken(index + 1, "("),
            source.isToken(index + 3, ")"), !source.isToken(index + 2, "Linux")
        {
            guard source.isToken(index + 4, "||") else {
                let isWhole =
                    index + 4 < source.tokens.count
                    && source.tokens[index + 4].isFirstInLine
                return isWhole ? index + 3 : nil
            }
            index += 5
        }
        return nil
    }

    /// The directive that ends a branch.
    private static func next(behind condition: Int, in source: SwiftSource) -> Int? {
        var depth = 0
        for index in condition + 1..<source.tokens.count where source.isConditional(index) {
            if depth == 0, !source.isToken(index, "#if") { return index }
            if source.isToken(index, "#if") { depth += 1 }
            if source.isToken(index, "#endif") { depth -= 1 }
        }
        return nil
    }
}
