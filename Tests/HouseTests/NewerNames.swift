import SwiftSource

/// Names in a source that need later systems than the layer does: iOS 13, tvOS 13, watchOS 6 and
/// macOS 10.15. Only a build on a Mac is proof; this finds what is used most.
struct NewerNames {
    /// Names of Swift's library, of Foundation and of Core Data, with the iOS that brought them.
    private static let names: [String: String] = [
        "AnyRegexOutput": "16", "AsyncStreamMessage": "26", "Atomic": "18",
        "AttributedString": "15", "ContinuousClock": "16", "Duration": "16",
        "ISO8601FormatStyle": "15", "InlineArray": "26", "KeyPathComparator": "15",
        "Logger": "14", "Mutex": "18", "NSCompositeAttributeDescription": "17",
        "NSStagedMigrationManager": "17", "NotificationKey": "14",
        "OSAllocatedUnfairLock": "16", "Observable": "17", "Predicate": "17", "Regex": "16",
        "ScheduledTaskType": "15", "SortDescriptor": "15", "Span": "26", "StoreType": "15",
        "SuspendingClock": "16", "UTType": "14", "didMergeChangesObjectIDsNotification": "14",
        "didSaveObjectIDsNotification": "14", "dictionaryHandler": "14", "firstMatch": "16",
        "firstRange": "16", "formatted": "15", "managedObjectHandler": "14",
        "percentEncoded": "16", "prefixMatch": "16", "ranges": "16", "replace": "16",
        "replacing": "16", "trimmingPrefix": "16", "wholeMatch": "16",
    ]

    /// Calls whose name alone is older: the label of their first argument, with the iOS.
    private static let labels: [String: [String: String]] = [
        "String": ["validating": "18"],
        "URL": ["filePath": "16"],
        "appending": ["component": "16", "components": "16", "path": "16"],
        "matches": ["of": "16"],
        "notifications": ["named": "15"],
        "sleep": ["for": "16", "until": "16"],
    ]

    /// What was found: `line: name needs iOS 16`.
    let found: [String]

    /// - Parameter except: Whether a token may use what is as new as this.
    init(_ source: SwiftSource, except: (Int, Double) -> Bool = { _, _ in false }) {
        found = source.tokens.indices.compactMap { index in
            guard let (name, version) = source.newerName(index, Self.names, Self.labels),
                !except(index, Double(version) ?? 0)
            else { return nil }
            return "\(source.tokens[index].line): \(name) needs iOS \(version)"
        }
    }

    /// A version as the systems are named by it.
    static func text(_ version: Double) -> String {
        version == version.rounded() ? String(Int(version)) : String(version)
    }
}

extension SwiftSource {
    fileprivate func newerName(
        _ index: Int,
        _ names: [String: String],
        _ labels: [String: [String: String]]
    ) -> (String, String)? {
        if tokens[index].kind == .regex { return ("a regular-expression literal", "16") }
        guard let name = word(index) else { return nil }
        // The forms of Apple's framework that return a value, or wait by `await`.
        if name == "performAndWait" || name == "perform", isMember(index), isValueOfCall(index) {
            return ("\(name) with a value", "15")
        }
        if let version = names[name], !isDeclared(index) { return (name, version) }
        // A member of a type that the layer does not declare has a receiver.
        if name.first?.isLowercase == true, !isMember(index) { return nil }
        guard isToken(index + 1, "("), let label = word(index + 2), isToken(index + 3, ":"),
            let version = labels[name]?[label]
        else { return nil }
        return ("\(name)(\(label):)", version)
    }

    private func isMember(_ index: Int) -> Bool { index > 0 && isToken(index - 1, ".") }

    /// Whether a function of this name is called in a statement that begins with a word that asks for
    /// a value.
    func isValueOfCall(_ index: Int) -> Bool {
        guard isToken(index + 1, "(") || isToken(index + 1, "{") else { return false }
        var start = index
        while start > 0, isToken(start - 1, ".") || word(start - 1) != nil && start == index {
            start -= isToken(start - 1, ".") ? 2 : 1
        }
        guard start > 0, let before = word(start - 1) else {
            return start > 0 && isToken(start - 1, "=")
        }
        return ["await", "return", "try"].contains(before)
    }

    private func isDeclared(_ index: Int) -> Bool {
        guard index > 0 else { return false }
        if isToken(index + 1, ":"), !isToken(index - 1, ".") { return true }
        return word(index - 1).map(["case", "func", "let", "var"].contains) ?? false
    }
}
