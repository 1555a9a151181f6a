import SwiftSource

/// Gives calls that name a target and a selector a form with a block beside them.
///
///     #if canImport(ObjectiveC)
///     center.addObserver(self, selector: #selector(didSave(_:)), name: name, object: nil)
///     #else
///     _ = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] notification in
///         self?.didSave(notification)
///     }
///     #endif
enum TargetAction {
    /// Rewrites the statement that a selector is in; false if its shape is another.
    static func replace(_ selector: ClosedRange<Int>, in file: inout PortingFile) -> Bool {
        let source = file.source
        guard let statement = CallStatement(around: selector.lowerBound, in: source) else {
            return false
        }
        guard let action = Action(selector, in: source),
            let block = block(for: statement, action, in: source)
        else { return false }
        file.note(
            selector.lowerBound,
            "\(source.text(file.byteRange(selector))): a block beside it, for Linux"
        )
        file.wrap(statement.tokens, in: ObjectiveCAttributes.condition, else: block)
        return true
    }

    /// Whether observers of notifications are registered with selectors.
    static func registersObservers(_ source: SwiftSource) -> Bool {
        source.tokens.indices.contains { index in
            guard source.isToken(index, "addObserver"), source.isToken(index + 1, "("),
                let end = source.closingBracket(of: index + 1)
            else { return false }
            return (index + 2..<end).contains { source.isToken($0, "selector") }
        }
    }

    private static func block(
        for statement: CallStatement,
        _ action: Action,
        in source: SwiftSource
    ) -> String? {
        let arguments = statement.arguments.map { ($0.label, source.text($0.bytes)) }
        let labels = arguments.map(\.0)
        let head = source.text(statement.head)
        let indentation = source.indentation(of: source.tokens[statement.tokens.lowerBound])
        let newline = source.lineEnding + indentation
        func body(_ call: String, target: String, argument: String) -> String {
            // Centers and timers keep the block, and would keep a target that it held strongly.
            let capture = target == "self" ? "weak self" : "weak target = \(target)"
            let receiver = target == "self" ? "self" : "target"
            return "\(call) { [\(capture)] \(argument) in\(newline)    "
                // Nobody could catch what a block throws here.
                + "\(action.isThrowing ? "try? " : "")\(receiver)?.\(action.call(argument))"
                + "\(newline)}"
        }
        let isObserver = statement.method == "addObserver" && statement.prefix.isEmpty
        if isObserver, labels == ["", "selector", "name", "object"] {
            // What is removed by identity later has to be registered with it, which Foundation's
            // form with a block does not do.
            if Selectors.removesObservers(source) {
                return body(
                    "\(head)(\(arguments[0].1), name: \(arguments[2].1), object: \(arguments[3].1))",
                    target: arguments[0].1,
                    argument: "notification"
                )
            }
            return body(
                "_ = \(head)(forName: \(arguments[2].1), object: \(arguments[3].1), queue: nil)",
                target: arguments[0].1,
                argument: "notification"
            )
        }
        let isTimer = statement.method == "scheduledTimer"
        if isTimer, labels == ["timeInterval", "target", "selector", "userInfo", "repeats"] {
            return body(
                "\(source.text(statement.prefix))\(head)(withTimeInterval: \(arguments[0].1), repeats: \(arguments[4].1))",
                target: arguments[1].1,
                argument: "timer"
            )
        }
        return nil
    }
}

/// The method that a selector names.
private struct Action {
    private let name: String
    /// The label of its one parameter, `_` for none; nil if it takes nothing.
    private let label: String?
    private let isBridged: Bool
    let isThrowing: Bool

    /// - Returns: nil for methods of several parameters and for those whose parameters are not
    ///   known.
    init?(_ selector: ClosedRange<Int>, in source: SwiftSource) {
        var last = selector.upperBound - 1
        var written: String?
        if source.isToken(last, ")") {
            guard source.isToken(last - 1, ":"), let label = source.word(last - 2),
                source.isToken(last - 3, "(")
            else { return nil }
            written = label
            last -= 4
        }
        guard let name = source.word(last), !source.isToken(last - 1, ":") else { return nil }
        self.name = name
        let declaration = Self.declaration(of: name, label: written, in: source)
        guard written != nil || declaration != nil else { return nil }
        label = written ?? declaration?.label
        isBridged = declaration?.isBridged ?? false
        isThrowing = declaration?.isThrowing ?? false
    }

    private static func declaration(
        of name: String,
        label: String?,
        in source: SwiftSource
    ) -> (label: String?, isBridged: Bool, isThrowing: Bool)? {
        for index in source.tokens.indices where source.isToken(index, "func") {
            guard source.word(index + 1) == name, source.isToken(index + 2, "("),
                let end = source.closingBracket(of: index + 2)
            else { continue }
            let isThrowing = source.isToken(end + 1, "throws")
            if end == index + 3 {
                guard label == nil else { continue }
                return (nil, false, isThrowing)
            }
            let words = (index + 3..<end).filter { source.word($0) != nil }
            guard let first = source.word(index + 3), label == nil || label == first,
                !(index + 3..<end).contains(where: { source.isToken($0, ",") })
            else { continue }
            let isBridged = words.contains { source.isToken($0, "NSNotification") }
            return (first, isBridged, isThrowing)
        }
        return nil
    }

    /// A call with an argument, if it takes one.
    func call(_ argument: String) -> String {
        guard let label else { return "\(name)()" }
        // Nothing bridges a `Notification` without Objective-C.
        let value = isBridged ? "\(argument) as NSNotification" : argument
        return label == "_" ? "\(name)(\(value))" : "\(name)(\(label): \(value))"
    }
}
