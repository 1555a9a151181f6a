import SwiftSource

/// Rewrites `perform(_:on:with:waitUntilDone:)`: Foundation on Linux can wake the main queue, and no
/// other thread.
enum ThreadCalls {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens where source.isToken(index, "perform") {
            guard source.isToken(index + 1, "("), let end = source.closingBracket(of: index + 1),
                let comma = comma(before: "on", in: index + 2..<end, of: source)
            else { continue }
            let thread = comma + 3
            guard source.isToken(thread, "Thread"), source.isToken(thread + 1, "."),
                source.isToken(thread + 2, "main"), source.isToken(thread + 3, ",")
            else {
                file.leave(
                    index,
                    "Linux calls no method on a thread: dispatch a block to a queue, or perform it "
                        + "on Thread.main"
                )
                continue
            }
            file.note(index, "perform(_:on: Thread.main…): performSelector(onMainThread:…)")
            let first = source.tokens[index + 2].range.lowerBound
            file.replace(
                source.tokens[index].range.lowerBound..<first,
                with: "performSelector(onMainThread: "
            )
            file.replace(tokens: comma...thread + 2, with: "")
        }
    }

    /// The comma in front of an argument with a label.
    private static func comma(
        before label: StaticString,
        in arguments: Range<Int>,
        of source: SwiftSource
    ) -> Int? {
        var index = arguments.lowerBound
        while index < arguments.upperBound {
            if source.isToken(index, ","), source.isToken(index + 1, label),
                source.isToken(index + 2, ":")
            {
                return index
            }
            index = (source.closingBracket(of: index) ?? index) + 1
        }
        return nil
    }
}
