import SwiftSource

/// Names that Foundation and XCTest lack on Linux, and modules of this package have.
enum LegacyModules {
    static let foundation = "LegacyFoundation"
    static let testing = "LegacyXCTest"
    static let combine = "LegacyCombine"

    /// Notes the modules that a name needs, if it is used where a token is.
    ///
    /// - Returns: Whether some module has the name.
    static func note(_ name: String, _ index: Int, in file: inout PortingFile) -> Bool {
        if inFoundation.contains(name) {
            guard !isMemberOrDeclared(index, in: file.source) else { return true }
            file.neededModules.insert(foundation)
        } else if inTesting.contains(name) {
            guard !isDeclared(index, in: file.source) else { return true }
            file.neededModules.insert(testing)
        } else if isMemberOfFoundation(name, index, in: file.source) {
            file.neededModules.insert(foundation)
            // The class may be one of tests, which are no objects of Foundation there.
            if name == "description", importsTesting(file.source) {
                file.neededModules.insert(testing)
            }
        } else if isMemberOfTesting(name, index, in: file.source) {
            file.neededModules.insert(testing)
        } else if isOfCombine(name, index, in: file.source) {
            file.neededModules.insert(combine)
        } else {
            return false
        }
        return true
    }

    /// Whether it is a member that LegacyFoundation adds to a class of Foundation.
    private static func isMemberOfFoundation(
        _ name: String,
        _ index: Int,
        in source: SwiftSource
    ) -> Bool {
        switch name {
        case "notifications": source.isToken(index + 2, "named")
        case "containerURL": source.isToken(index + 2, "forSecurityApplicationGroupIdentifier")
        case "fileURL": source.isToken(index - 1, ".") && source.isToken(index - 2, "NSURL")
        case "addObserver", "scheduledTimer": takesSelector(index, in: source)
        case "performSelector": source.isToken(index - 1, ".") || source.isToken(index + 1, "(")
        case "classForCoder", "description":
            // Methods of the class; those of objects are properties.
            source.isToken(index - 1, ".") && source.isToken(index + 1, "(")
                && source.isToken(index + 2, ")")
        case "observe":
            source.isToken(index + 2, "\\") && source.isToken(index + 3, ".")
                && source.word(index + 4).map(progressProperties.contains) == true
        case "value", "setValue": isMemberOfDefaults(index, in: source)
        case "String": source.isToken(index + 2, "localized")
        case "LocalizationValue": source.isToken(index - 1, ".")
        default: false
        }
    }

    /// Whether what is left of the dot is called as user defaults are: `UserDefaults.standard`, or a
    /// name that ends so. Objects of other classes have key-value coding without this module.
    private static func isMemberOfDefaults(_ index: Int, in source: SwiftSource) -> Bool {
        guard source.isToken(index - 1, "."), let owner = source.word(index - 2) else {
            return false
        }
        return owner.lowercased().hasSuffix("defaults")
            || owner == "standard" && source.isToken(index - 4, "UserDefaults")
    }

    /// What is observed of `Progress`.
    private static let progressProperties: Set<String> = [
        "completedUnitCount", "fractionCompleted", "isCancelled", "isFinished", "isPaused",
        "localizedAdditionalDescription", "localizedDescription", "totalUnitCount",
    ]

    /// Whether a call passes a selector that is not written in it: such calls are rewritten.
    private static func takesSelector(_ index: Int, in source: SwiftSource) -> Bool {
        guard source.isToken(index + 1, "("), let end = source.closingBracket(of: index + 1) else {
            return false
        }
        let label = (index + 2..<end).first { source.isToken($0, "selector") }
        return label.map { source.isToken($0 + 1, ":") && !source.isToken($0 + 2, "#selector") }
            ?? false
    }

    /// Whether a file imports XCTest.
    static func importsTesting(_ source: SwiftSource) -> Bool {
        source.tokens.indices.contains {
            source.isToken($0, "import") && source.isToken($0 + 1, "XCTest")
        }
    }

    /// Whether it is a wait without a time limit.
    private static func isMemberOfTesting(
        _ name: String,
        _ index: Int,
        in source: SwiftSource
    ) -> Bool {
        guard name == "wait" || name == "fulfillment", source.isToken(index + 1, "("),
            source.isToken(index + 2, name == "wait" ? "for" : "of"),
            let end = source.closingBracket(of: index + 1)
        else { return false }
        return !(index + 2..<end).contains { source.isToken($0, "timeout") }
    }

    /// Whether it is a name that only Combine has: files see it without an import, or by SwiftUI's.
    private static func isOfCombine(
        _ name: String,
        _ index: Int,
        in source: SwiftSource
    ) -> Bool {
        switch name {
        case "publisher":
            source.isToken(index - 1, ".") && source.isToken(index + 1, "(")
                && source.isToken(index + 2, "for")
        case "objectWillChange": source.isToken(index - 1, ".")
        default: inCombine.contains(name) && !isMemberOrDeclared(index, in: source)
        }
    }

    /// Whether the word is a member, a label, or the name of a declaration.
    static func isMemberOrDeclared(_ index: Int, in source: SwiftSource) -> Bool {
        if source.isToken(index - 1, ".") { return true }
        // Before a colon it is a label only at the beginning of an argument; `a ? name : b` uses
        // it.
        if source.isToken(index + 1, ":"), !source.isToken(index - 1, "case") {
            return source.isToken(index - 1, "(") || source.isToken(index - 1, ",")
        }
        return isDeclared(index, in: source)
    }

    private static func isDeclared(_ index: Int, in source: SwiftSource) -> Bool {
        let introducers: Set<String> = [
            "func", "var", "let", "class", "struct", "enum", "typealias", "protocol", "case",
        ]
        return source.word(index - 1).map(introducers.contains) ?? false
    }

    /// What module LegacyFoundation declares, but for names of module os: a file that uses those
    /// imports it.
    static let inFoundation: Set<String> = [
        "autoreleasepool", "objc_sync_enter", "objc_sync_exit", "NSMapTable", "NSHashTable",
        "os_unfair_lock", "os_unfair_lock_s", "os_unfair_lock_t", "os_unfair_lock_lock",
        "os_unfair_lock_unlock", "os_unfair_lock_trylock", "OSAllocatedUnfairLock",
        "CFAbsoluteTimeGetCurrent", "CFAbsoluteTime", "NSFileCoordinator", "NSErrorPointer",
        "NSException", "objc_getAssociatedObject",
        "objc_setAssociatedObject", "objc_removeAssociatedObjects", "objc_AssociationPolicy",
        "NSEC_PER_SEC", "NSEC_PER_MSEC", "NSEC_PER_USEC", "USEC_PER_SEC",
    ]

    /// What module LegacyCombine declares, as far as nothing else is called so.
    static let inCombine: Set<String> = [
        "AnyCancellable", "AnyPublisher", "CurrentValueSubject", "ObservableObject",
        "ObservableObjectPublisher", "PassthroughSubject",
    ]

    /// What module LegacyXCTest declares.
    static let inTesting: Set<String> = [
        "XCTActivity", "XCTAttachment", "XCTCPUMetric", "XCTClockMetric", "XCTContext",
        "XCTKVOExpectation", "XCTMeasureOptions", "XCTMemoryMetric", "XCTMetric",
        "XCTStorageMetric", "keyValueObservingExpectation",
    ]
}
