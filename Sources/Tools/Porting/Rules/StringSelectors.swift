import SwiftSource

/// Selectors that are made of a string, as Swift wrote them before it had `#selector`: on Linux a
/// string leads to no method, which would show at run time only.
///
/// Where the file declares the method, `#selector` takes the string's place, and is rewritten as all
/// are.
enum StringSelectors {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens where source.tokens[index].kind == .string {
            guard let place = place(of: index, in: source) else { continue }
            let name = source.text(source.tokens[index]).dropFirst().dropLast()
            if let method = method(String(name), in: source) {
                file.note(index, "\(source.text(file.byteRange(place))): #selector(\(method))")
                file.replace(tokens: place, with: "#selector(\(method))")
            } else {
                file.leave(
                    index,
                    "on Linux the string \(source.text(source.tokens[index])) leads to no method: "
                        + "write #selector(…) of a method with @objc, and run port again"
                )
            }
        }
    }

    /// The tokens that make up a selector; nil if the string is something else.
    private static func place(of index: Int, in source: SwiftSource) -> ClosedRange<Int>? {
        var tokens = index...index
        if source.isToken(index - 1, "("), source.isToken(index + 1, ")") {
            var first = index - 1, last = index + 1
            // In two pairs of parentheses the compiler does not ask for #selector.
            if source.isToken(first - 1, "("), source.isToken(last + 1, ")") {
                (first, last) = (first - 1, last + 1)
            }
            guard source.isToken(first - 1, "Selector") else { return nil }
            tokens = first - 1...last
        }
        let before = tokens.lowerBound - 1
        guard source.isToken(before, ":") || source.isToken(before, "(") else { return nil }
        if source.isToken(before, "(") {
            let performers: Set<String> = [
                "perform", "performSelector", "performSelectorInBackground",
                "performSelectorOnMainThread",
            ]
            return source.word(before - 1).map(performers.contains) == true ? tokens : nil
        }
        guard let label = source.word(before - 1) else { return nil }
        switch label {
        case "selector": return isObserverOrTimer(before, in: source) ? tokens : nil
        case "onMainThread", "inBackground": return tokens
        default: return nil
        }
    }

    /// Whether an argument is one of a call that calls back: a sort descriptor's selector is a name.
    private static func isObserverOrTimer(_ index: Int, in source: SwiftSource) -> Bool {
        let opening = (0..<index).last { opening in
            source.isToken(opening, "(") && (source.closingBracket(of: opening) ?? 0) > index
        }
        guard let opening, let callee = source.word(opening - 1) else { return false }
        return ["addObserver", "scheduledTimer", "Timer", "init"].contains(callee)
    }

    /// The method of an Objective-C name, as `#selector` takes it, if the file declares it with
    /// `@objc` and it takes one argument at most.
    private static func method(_ name: String, in source: SwiftSource) -> String? {
        let takesArgument = name.hasSuffix(":")
        let base = takesArgument ? String(name.dropLast()) : name
        guard !base.contains(":") else { return nil }
        for index in source.tokens.indices where source.isToken(index, "func") {
            guard source.word(index + 1) == base, source.isToken(index + 2, "("),
                let end = source.closingBracket(of: index + 2), isExposed(index, in: source)
            else { continue }
            let parameters = index + 3..<end
            if !takesArgument, parameters.isEmpty { return base }
            let isOnly = !parameters.contains { source.isToken($0, ",") }
            if takesArgument, isOnly, source.word(parameters.lowerBound) == "_" {
                return "\(base)(_:)"
            }
        }
        return nil
    }
    /// Whether `@objc` or `@IBAction` stands in front of a function, alone or in `#if … #endif`.
    private static func isExposed(_ function: Int, in source: SwiftSource) -> Bool {
        var index = function - 1
        while index > 0, !source.isToken(index, "{"), !source.isToken(index, "}") {
            if source.isToken(index, "@"),
                source.isToken(index + 1, "objc") || source.isToken(index + 1, "IBAction")
            {
                return true
            }
            index -= 1
        }
        return false
    }
}
