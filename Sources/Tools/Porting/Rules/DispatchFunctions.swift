import SwiftSource

/// Rewrites the functions of Dispatch that Swift 2 called.
///
///     dispatch_sync(dispatch_get_main_queue()) { merge() }
///     DispatchQueue.main.sync { merge() }
enum DispatchFunctions {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens {
            guard let name = source.word(index), name.hasPrefix("dispatch_"),
                source.isToken(index + 1, "("), !source.isToken(index - 1, "."),
                !source.isToken(index - 1, "func"), let end = source.closingBracket(of: index + 1)
            else { continue }
            if let method = methods[name] {
                rewrite(call: index...end, as: method, in: &file)
            } else if let text = queue(name, index + 2..<end, in: source) {
                file.note(index, "\(source.text(file.byteRange(index...end))): \(text)")
                file.replace(tokens: index...end, with: text)
            } else {
                file.leave(index, "Swift 3 has no \(name): \(advice[name] ?? general)")
            }
        }
    }

    /// What a queue does with a block: its method, and what is passed with the block.
    private static let methods: [String: (name: String, flags: String)] = [
        "dispatch_sync": ("sync", ""),
        "dispatch_async": ("async", ""),
        "dispatch_barrier_sync": ("sync", "flags: .barrier"),
        "dispatch_barrier_async": ("async", "flags: .barrier"),
    ]

    /// The queue may hold calls that are rewritten, too, so that it stays where it stands and only
    /// what is around it changes.
    private static func rewrite(
        call: ClosedRange<Int>,
        as method: (name: String, flags: String),
        in file: inout PortingFile
    ) {
        let source = file.source
        let start = call.lowerBound
        let comma = comma(in: start + 2..<call.upperBound, of: source)
        file.note(start, "\(source.text(source.tokens[start])): .\(method.name) of the queue")
        let queueStart = source.tokens[start + 2].range.lowerBound
        file.replace(source.tokens[start].range.lowerBound..<queueStart, with: "")
        if let comma {
            let arguments = method.flags.isEmpty ? "" : method.flags + ", "
            let bytes = source.tokens[comma].range
            file.replace(bytes, with: ".\(method.name)(\(arguments)execute:")
        } else {
            let arguments = method.flags.isEmpty ? "" : "(\(method.flags))"
            file.replace(
                source.tokens[call.upperBound].range,
                with: ".\(method.name)\(arguments)"
            )
        }
    }

    /// The comma that parts two arguments.
    private static func comma(in arguments: Range<Int>, of source: SwiftSource) -> Int? {
        var index = arguments.lowerBound
        while index < arguments.upperBound {
            if source.isToken(index, ",") { return index }
            index = (source.closingBracket(of: index) ?? index) + 1
        }
        return nil
    }

    /// The expression for a queue that is asked for or made.
    private static func queue(
        _ name: String,
        _ arguments: Range<Int>,
        in source: SwiftSource
    ) -> String? {
        let words = arguments.compactMap { source.word($0) }
        switch name {
        case "dispatch_get_main_queue" where arguments.isEmpty:
            return "DispatchQueue.main"
        case "dispatch_get_global_queue":
            guard let first = words.first, let service = services[first] else { return nil }
            return "DispatchQueue.global(\(service))"
        case "dispatch_queue_create":
            guard let comma = comma(in: arguments, of: source), comma > arguments.lowerBound,
                let attribute = words.last, let attributes = attributes[attribute]
            else { return nil }
            let label = source.text(
                source.tokens[arguments.lowerBound].range
                    .lowerBound..<source.tokens[comma].range.lowerBound
            )
            return "DispatchQueue(label: \(label)\(attributes))"
        default: return nil
        }
    }

    private static let services: [String: String] = [
        "DISPATCH_QUEUE_PRIORITY_DEFAULT": "",
        "DISPATCH_QUEUE_PRIORITY_HIGH": "qos: .userInitiated",
        "DISPATCH_QUEUE_PRIORITY_LOW": "qos: .utility",
        "DISPATCH_QUEUE_PRIORITY_BACKGROUND": "qos: .background",
        "QOS_CLASS_DEFAULT": "",
        "QOS_CLASS_USER_INTERACTIVE": "qos: .userInteractive",
        "QOS_CLASS_USER_INITIATED": "qos: .userInitiated",
        "QOS_CLASS_UTILITY": "qos: .utility",
        "QOS_CLASS_BACKGROUND": "qos: .background",
    ]

    private static let attributes: [String: String] = [
        "nil": "", "DISPATCH_QUEUE_SERIAL": "",
        "DISPATCH_QUEUE_CONCURRENT": ", attributes: .concurrent",
    ]

    private static let general = "write it with DispatchQueue, DispatchGroup or DispatchSemaphore"

    private static let advice: [String: String] = [
        "dispatch_after": "write queue.asyncAfter(deadline: .now() + seconds) { … }",
        "dispatch_time": "write .now() + seconds",
        "dispatch_once": "write a static let, which is made once",
        "dispatch_apply": "write DispatchQueue.concurrentPerform(iterations:execute:)",
        "dispatch_get_current_queue": "use dispatchPrecondition(condition: .onQueue(queue))",
        "dispatch_group_create": "write DispatchGroup()",
        "dispatch_semaphore_create": "write DispatchSemaphore(value:)",
    ]
}
