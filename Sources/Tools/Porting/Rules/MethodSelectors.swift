import SwiftSource

/// Gives a statement or declaration with selectors a form beside it whose selectors are made of the
/// methods themselves; module LegacyFoundation calls them.
///
///     #if canImport(ObjectiveC)
///     let didSave = #selector(contextDidSave(_:))
///     #else
///     let didSave = Selector("contextDidSave:", Stack.contextDidSave(_:))
///     #endif
enum MethodSelectors {
    /// Rewrites the statement that a selector is in, with all selectors in it.
    ///
    /// - Parameter done: Statements that are rewritten already, by their first token.
    /// - Returns: False if the statement or a selector has another shape.
    static func replace(
        _ selector: ClosedRange<Int>,
        in file: inout PortingFile,
        _ done: inout Set<Int>
    ) -> Bool {
        let source = file.source
        guard let statement = SourceStatement(around: selector.lowerBound, in: source) else {
            return false
        }
        let first = statement.tokens.lowerBound
        if done.contains(first) { return true }
        // Nothing is edited before each selector of the statement has its form: one without would
        // leave a copy that does not compile.
        var text = ""
        var position = source.tokens[first].range.lowerBound
        var forms: [(Int, String, String)] = []
        for index in statement.tokens where source.isToken(index, "#selector") {
            guard let end = source.closingBracket(of: index + 1),
                let form = form(index...end, in: source)
            else { return false }
            let range = file.byteRange(index...end)
            text += source.text(position..<range.lowerBound) + form
            position = range.upperBound
            forms.append((index, source.text(range), form))
        }
        text += source.text(position..<file.byteRange(statement.tokens).upperBound)
        done.insert(first)
        file.wrap(statement.tokens, in: ObjectiveCAttributes.condition, else: text)
        for (index, old, form) in forms { file.note(index, "\(old): \(form) beside it, for Linux") }
        file.neededModules.insert(LegacyModules.foundation)
        return true
    }

    /// `Selector("didSave:", Stack.didSave(_:))`.
    private static func form(_ selector: ClosedRange<Int>, in source: SwiftSource) -> String? {
        let start = selector.lowerBound + 2
        var end = selector.upperBound
        if source.isToken(start, "getter"), let name = source.word(end - 1) {
            return "Selector((\"\(name)\"))"
        }
        guard !source.isToken(start, "setter") else { return nil }
        // A type behind the method tells overloads apart, and may be of no use here.
        end = (start..<end).first { source.isToken($0, "as") } ?? end
        var labels: [String] = []
        var last = end - 1
        if source.isToken(last, ")"), let opening = source.openingBracket(of: last) {
            labels = (opening + 1..<last).compactMap { source.word($0) }
            last = opening - 1
        }
        guard labels.count <= 1, let method = source.word(last) else { return nil }
        let written = source.text(
            source.tokens[start].range.lowerBound..<source.tokens[end - 1].range.upperBound
        )
        return reference(written, start, last, source).map {
            "Selector(\"\(ObjectiveCSelector.name(method, labels))\", \($0))"
        }
    }

    /// The method as a function of its target; nil outside of all types.
    private static func reference(
        _ written: String,
        _ start: Int,
        _ method: Int,
        _ source: SwiftSource
    ) -> String? {
        // A selector names no target, so the method is taken from its type, as a function of the
        // target.
        let isOfSelf = source.isToken(start, "self") || source.isToken(start, "Self")
        guard start == method || isOfSelf && start + 2 == method else { return written }
        return EnclosingType.innermost(around: start, in: source).map {
            $0 + "." + (isOfSelf ? String(written.dropFirst(5)) : written)
        }
    }
}
