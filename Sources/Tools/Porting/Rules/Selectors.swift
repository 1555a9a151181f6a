import SwiftSource

/// Rewrites `#selector`: names of properties, comparisons of sort descriptors, observers of
/// notifications and timers in forms of their own, others by `MethodSelectors`.
enum Selectors {
    static func apply(to file: inout PortingFile) {
        var done: Set<Int> = []
        for index in file.activeTokens {
            if file.source.isToken(index, "#selector") {
                rewrite(index, in: &file, &done)
            } else if file.source.isToken(index, "removeObserver") {
                leaveRemoval(index, in: &file)
            }
        }
    }

    /// - Parameter done: Statements that are rewritten with all selectors in them.
    private static func rewrite(
        _ index: Int,
        in file: inout PortingFile,
        _ done: inout Set<Int>
    ) {
        guard let end = file.source.closingBracket(of: index + 1) else { return }
        // `MethodSelectors` comes last: it takes nearly every statement, also those that have a
        // form of their own.
        if replaceName(index...end, in: &file) || replaceComparison(index...end, in: &file)
            || TargetAction.replace(index...end, in: &file)
            || MethodSelectors.replace(index...end, in: &file, &done)
        {
            return
        }
        file.leave(
            index,
            "#selector needs Objective-C: on Linux write Selector(\"name:\", Type.method(_:)) in a "
                + "statement of its own, or call the method directly"
        )
    }

    /// `NSStringFromSelector(#selector(getter: Person.name))` is `"name"`.
    private static func replaceName(
        _ selector: ClosedRange<Int>,
        in file: inout PortingFile
    ) -> Bool {
        let source = file.source
        let start = selector.lowerBound - 2
        guard source.isToken(start, "NSStringFromSelector"),
            source.isToken(selector.upperBound + 1, ")"),
            let name = source.word(selector.upperBound - 1), !source.isToken(start - 1, ".")
        else { return false }
        file.replace(tokens: start...selector.upperBound + 1, with: "\"\(name)\"")
        file.note(start, "NSStringFromSelector(…): \"\(name)\"")
        return true
    }

    private static let comparisons: Set<String> = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    /// `#selector(NSString.localizedStandardCompare(_:))` by name, as module CoreData has it.
    private static func replaceComparison(
        _ selector: ClosedRange<Int>,
        in file: inout PortingFile
    ) -> Bool {
        let source = file.source
        let name = selector.lowerBound + 4
        guard source.word(name - 2)?.hasPrefix("NS") == true, source.isToken(name - 1, "."),
            let method = source.word(name), comparisons.contains(method)
        else { return false }
        // In two pairs of parentheses, so that the compiler does not ask for #selector.
        let text = "Selector((\"\(method):\"))"
        file.note(selector.lowerBound, "\(source.text(file.byteRange(selector))): \(text)")
        file.replace(tokens: selector, with: text)
        return true
    }

    /// A block observer is not unregistered by its former target.
    private static func leaveRemoval(_ index: Int, in file: inout PortingFile) {
        let source = file.source
        guard source.isToken(index + 1, "("), source.isToken(index + 2, "self"),
            source.isToken(index + 3, ",") || source.isToken(index + 3, ")"),
            !source.isToken(index + 4, "forKeyPath"), !isInDeinitializer(index, of: source)
        else { return }
        // In such a file `TargetAction` registers the object with LegacyFoundation's form, from
        // which this call removes it.
        if TargetAction.registersObservers(source) {
            file.neededModules.insert(LegacyModules.foundation)
            return
        }
        file.leave(
            index,
            "on Linux the observer is not the object but what "
                + "addObserver(forName:object:queue:using:) returns: keep that and remove it here"
        )
    }

    /// Whether observers are removed before their end, so that they have to be known by identity.
    static func removesObservers(_ source: SwiftSource) -> Bool {
        source.tokens.indices.contains { index in
            source.isToken(index, "removeObserver") && source.isToken(index + 1, "(")
                // Observers by key path are removed from the object that they observe, not from a
                // center. A removal in a deinitializer may do nothing: blocks hold their target
                // weakly.
                && source.isToken(index + 2, "self") && !source.isToken(index + 4, "forKeyPath")
                && !isInDeinitializer(index, of: source)
        }
    }

    private static func isInDeinitializer(_ index: Int, of source: SwiftSource) -> Bool {
        (0..<index).contains { start in
            guard source.isToken(start, "deinit"), source.isToken(start + 1, "{"),
                let end = source.closingBracket(of: start + 1)
            else { return false }
            return end > index
        }
    }
}
