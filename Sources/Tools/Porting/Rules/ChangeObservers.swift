import SwiftSource

/// Gives `observeValue(forKeyPath:of:change:context:)` a form without `override` beside it, and lets
/// its class say that it is an observer: without Objective-C nothing overrides what an extension
/// declares.
///
///     #if canImport(ObjectiveC)
///     override func observeValue(forKeyPath …) { … }
///     #else
///     func observeValue(forKeyPath …) { … }
///     #endif
enum ChangeObservers {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        var names: [String] = []
        for prefix in DeclarationPrefix.all(in: source) {
            guard file.isActive(prefix.end), source.isToken(prefix.end, "func"),
                source.word(prefix.end + 1) == "observeValue",
                source.word(prefix.end + 3) == "forKeyPath",
                let override = prefix.elements.first(where: { $0.name == "override" }),
                let body = body(behind: prefix.end, in: source)
            else { continue }
            let start = prefix.elements[0].tokens.lowerBound
            guard let name = EnclosingType.name(of: start, in: source) else {
                file.leave(
                    start,
                    "on Linux the class has to conform to KeyValueObserver, with this method "
                        + "without \"override\": move it out of the function"
                )
                continue
            }
            let whole = file.byteRange(start...body)
            let word = file.byteRange(override.tokens)
            var end = word.upperBound
            while end < whole.upperBound, source.bytes[end] == UInt8(ascii: " ") { end += 1 }
            let copy =
                source.text(whole.lowerBound..<word.lowerBound)
                + source.text(end..<whole.upperBound)
            file.wrap(start...body, in: ObjectiveCAttributes.condition, else: copy)
            file.note(override.tokens.lowerBound, "observeValue(forKeyPath:…): without override")
            // `super` may be a test case, which is no `NSObject` on Linux.
            if LegacyModules.importsTesting(source) {
                file.neededModules.insert(LegacyModules.testing)
            }
            names.append(name)
        }
        conform(names, in: &file)
    }

    /// Whether a modifier is one of the method's.
    static func declares(behind modifier: Int, in source: SwiftSource) -> Bool {
        let introducer = (modifier..<modifier + 4).first { source.isToken($0, "func") }
        return introducer.flatMap { source.word($0 + 1) } == "observeValue"
    }

    private static func conform(_ names: [String], in file: inout PortingFile) {
        // An extension has to stand outside of all types, as the end of the file always does.
        guard !names.isEmpty else { return }
        let newline = file.source.lineEnding
        let end = file.source.bytes.last == UInt8(ascii: "\n") ? "" : newline
        let lines =
            ["#if !\(ObjectiveCAttributes.condition)"]
            + names.map { "extension \($0): KeyValueObserver {}" } + ["#endif", ""]
        file.insert(end + newline + lines.joined(separator: newline), at: file.source.bytes.count)
    }

    private static func body(behind introducer: Int, in source: SwiftSource) -> Int? {
        guard let end = source.closingBracket(of: introducer + 2),
            let opening = (end..<source.tokens.count).first(where: { source.isToken($0, "{") })
        else { return nil }
        return source.closingBracket(of: opening)
    }
}
