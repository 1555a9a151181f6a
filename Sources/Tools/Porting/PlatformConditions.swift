import SwiftSource

/// Tells which tokens of a file Linux compiles.
///
/// Conditions that depend on the build (`DEBUG`, versions, modules that Linux may have) count as
/// true in all their branches.
struct PlatformConditions {
    /// For each token.
    private(set) var isActive: [Bool] = []

    private struct Block {
        let isInActive: Bool
        /// Whether a branch before this one is certainly compiled.
        var isDecided = false
        var isActive = true
    }

    init(_ source: SwiftSource) {
        var blocks: [Block] = []
        isActive.reserveCapacity(source.tokens.count)
        for (index, token) in source.tokens.enumerated() {
            if token.kind == .directive {
                Self.enter(source.text(token), at: index, of: source, &blocks)
            }
            isActive.append(blocks.last?.isActive ?? true)
        }
    }

    /// Notes that tokens go into a condition that Linux does not meet.
    mutating func deactivate(_ tokens: ClosedRange<Int>) {
        for index in tokens { isActive[index] = false }
    }

    /// Notes that a condition takes Linux in.
    mutating func activate(_ tokens: Range<Int>) {
        for index in tokens { isActive[index] = true }
    }

    private static func enter(
        _ directive: String,
        at index: Int,
        of source: SwiftSource,
        _ blocks: inout [Block]
    ) {
        switch directive {
        case "#if":
            blocks.append(Block(isInActive: blocks.last?.isActive ?? true))
            fallthrough
        case "#elseif", "#else":
            guard var block = blocks.popLast() else { return }
            var parser = ConditionParser(source: source, position: index + 1)
            let value = directive == "#else" ? true : parser.value()
            block.isActive = block.isInActive && !block.isDecided && value != false
            if value == true { block.isDecided = true }
            blocks.append(block)
        case "#endif": _ = blocks.popLast()
        default: break
        }
    }
}

/// Evaluates the condition of an `#if` for Linux; nil where that depends on the build.
private struct ConditionParser {
    let source: SwiftSource
    var position: Int

    mutating func value() -> Bool? {
        var result = conjunction()
        while take("||") {
            let other = conjunction()
            // One operand that is known may decide alone; else both have to be known.
            result = result == true || other == true ? true : both(result, other, false)
        }
        return result
    }

    private mutating func conjunction() -> Bool? {
        var result = operand()
        while take("&&") {
            let other = operand()
            result = result == false || other == false ? false : both(result, other, true)
        }
        return result
    }

    private func both(_ first: Bool?, _ second: Bool?, _ value: Bool) -> Bool? {
        first == value && second == value ? value : nil
    }

    private mutating func operand() -> Bool? {
        if take("!") { return operand().map { !$0 } }
        if take("(") {
            let result = value()
            _ = take(")")
            return result
        }
        guard let name = source.word(position) else { return nil }
        position += 1
        guard source.isToken(position, "("), let end = source.closingBracket(of: position) else {
            return name == "true" ? true : name == "false" ? false : nil
        }
        let argument = source.word(position + 1) ?? ""
        position = end + 1
        switch name {
        case "os": return argument == "Linux"
        // Other modules may be those of the sources or of a dependency.
        case "canImport": return MissingModules.isMissing(argument) ? false : nil
        // Simulators and Objective-C's runtime are on Apple's platforms only.
        case "targetEnvironment", "_runtime": return false
        default: return nil
        }
    }

    private mutating func take(_ sign: StaticString) -> Bool {
        guard source.isToken(position, sign) else { return false }
        position += 1
        return true
    }
}
