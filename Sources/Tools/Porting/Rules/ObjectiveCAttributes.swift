import SwiftSource

/// Keeps attributes that need Objective-C for the platforms that have it.
///
///     #if canImport(ObjectiveC)
///     @objc(Person)
///     #endif
///     public class Person: NSManagedObject {
///
/// Source: SE-0367, conditional compilation for attributes. Such a block has to stand in front of
/// the modifiers.
enum ObjectiveCAttributes {
    static let condition = "canImport(ObjectiveC)"
    private static let names: Set<String> = [
        "objc", "objcMembers", "IBAction", "IBSegueAction", "IBOutlet", "IBInspectable",
        "IBDesignable", "GKInspectable", "NSApplicationMain", "UIApplicationMain",
    ]

    static func apply(to file: inout PortingFile) {
        for prefix in DeclarationPrefix.all(in: file.source) {
            let elements = prefix.elements
            guard file.isActive(elements[0].tokens.lowerBound) else { continue }
            // That wraps the whole requirement, `@objc` included; another condition would stand
            // within.
            if OptionalRequirements.rewrite(prefix, in: &file) { continue }
            leaveOptional(prefix, in: &file)
            let attributes = elements.filter { $0.isAttribute && names.contains($0.name) }
            guard let first = attributes.first else { continue }
            boundToClasses(prefix, attributes, in: &file)
            for attribute in attributes {
                let text = file.source.text(file.byteRange(attribute.tokens))
                file.note(attribute.tokens.lowerBound, "\(text): within #if \(condition)")
            }
            let before = elements.prefix { $0.tokens.lowerBound < first.tokens.lowerBound }
            let run = elements.dropFirst(before.count).prefix(attributes.count)
            let isInPlace =
                before.allSatisfy(\.isAttribute)
                && run.allSatisfy { $0.isAttribute && names.contains($0.name) }
                && file.source.tokens[first.tokens.lowerBound].isFirstInLine
            if isInPlace, let last = attributes.last {
                // Attributes that begin a line get a block of their own.
                file.wrap(first.tokens.lowerBound...last.tokens.upperBound, in: condition)
            } else {
                move(attributes, to: elements[0], in: &file)
            }
        }
    }

    /// Moves attributes that stand among modifiers into a block in front of the declaration.
    private static func move(
        _ attributes: [DeclarationPrefix.Element],
        to start: DeclarationPrefix.Element,
        in file: inout PortingFile
    ) {
        let source = file.source
        let anchor = source.tokens[start.tokens.lowerBound]
        let newline = source.lineEnding + source.indentation(of: anchor)
        let texts = attributes.map { source.text(file.byteRange($0.tokens)) }
        let block = (["#if \(condition)"] + texts + ["#endif", ""]).joined(separator: newline)
        file.insert((anchor.isFirstInLine ? "" : newline) + block, at: anchor.range.lowerBound)
        for attribute in attributes {
            let range = file.byteRange(attribute.tokens)
            file.replace(range.lowerBound..<blankEnd(source, from: range.upperBound), with: "")
        }
    }

    /// Says of a protocol what `@objc` says of it: that only classes conform to it. Else no property of
    /// its type could be weak.
    private static func boundToClasses(
        _ prefix: DeclarationPrefix,
        _ attributes: [DeclarationPrefix.Element],
        in file: inout PortingFile
    ) {
        let source = file.source
        guard attributes.contains(where: { $0.name == "objc" }),
            source.isToken(prefix.end, "protocol"), source.word(prefix.end + 1) != nil
        else { return }
        let parents = source.isToken(prefix.end + 2, ":")
        let body = source.tokens.indices.dropFirst(prefix.end).first { source.isToken($0, "{") }
        let isBound = (prefix.end..<(body ?? source.tokens.count)).contains { index in
            ["AnyObject", "class", "NSObjectProtocol"].contains(source.word(index) ?? "")
        }
        guard !isBound else { return }
        let place = source.tokens[parents ? prefix.end + 2 : prefix.end + 1].range.upperBound
        file.insert(parents ? " AnyObject," : ": AnyObject", at: place)
        file.note(prefix.end, "a protocol of Objective-C: AnyObject, as only classes conform to it")
    }

    private static func leaveOptional(_ prefix: DeclarationPrefix, in file: inout PortingFile) {
        guard let element = prefix.elements.first(where: { $0.name == "optional" }) else { return }
        file.leave(
            element.tokens.lowerBound,
            "optional requirements need Objective-C: declare it without \"optional\", with a "
                + "default in an extension of the protocol, and call it without \"?\""
        )
    }

    /// The first offset behind blanks.
    private static func blankEnd(_ source: SwiftSource, from offset: Int) -> Int {
        source.bytes[offset...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            ?? source.bytes.count
    }
}
