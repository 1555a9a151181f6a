import SwiftSource

/// Names that Foundation lacks on Linux: those that LegacyFoundation has, and those that a person
/// has to replace.
enum MissingNames {
    static func apply(to file: inout PortingFile) {
        for index in file.activeTokens {
            guard let name = file.source.word(index) else { continue }
            if inLegacyFoundation.contains(name) {
                guard !isMemberOrDeclared(index, in: file.source) else { continue }
                file.needsLegacyFoundation = true
            } else if isLegacyMember(name, index, of: file.source) {
                file.needsLegacyFoundation = true
            } else if let advice = advice[name] {
                guard !isMemberOrDeclared(index, in: file.source),
                    !file.source.isToken(index + 2, "#selector")
                else { continue }
                file.leave(index, "Linux has no \(name): \(advice)")
            } else if let advice = memberAdvice[name], file.source.isToken(index - 1, ".") {
                file.leave(index, "Linux has no \(name): \(advice)")
            } else if name == "addObserver", isKeyValueObservation(index, of: file.source) {
                file.leave(index, "Linux has no key-value observing by string: \(observation)")
            }
        }
    }

    /// Whether the word is a member, a label, or the name of a declaration.
    private static func isMemberOrDeclared(_ index: Int, in source: SwiftSource) -> Bool {
        if source.isToken(index - 1, ".") { return true }
        if source.isToken(index + 1, ":"), !source.isToken(index - 1, "case") {
            return source.isToken(index - 1, "(") || source.isToken(index - 1, ",")
        }
        let introducers: Set<String> = [
            "func", "var", "let", "class", "struct", "enum", "typealias", "protocol", "case",
        ]
        return source.word(index - 1).map(introducers.contains) ?? false
    }

    /// Whether it is the call of a method that LegacyFoundation adds to a class of Foundation.
    private static func isLegacyMember(
        _ name: String,
        _ index: Int,
        of source: SwiftSource
    ) -> Bool {
        switch name {
        case "notifications": source.isToken(index + 2, "named")
        case "containerURL": source.isToken(index + 2, "forSecurityApplicationGroupIdentifier")
        default: false
        }
    }

    private static func isKeyValueObservation(_ index: Int, of source: SwiftSource) -> Bool {
        guard source.isToken(index + 1, "("), let end = source.closingBracket(of: index + 1) else {
            return false
        }
        return (index + 2..<end).contains { source.isToken($0, "forKeyPath") }
    }

    /// What module LegacyFoundation declares, but for names of module os: a file that uses those
    /// imports it.
    static let inLegacyFoundation: Set<String> = [
        "autoreleasepool", "objc_sync_enter", "objc_sync_exit", "NSMapTable", "NSHashTable",
        "os_unfair_lock", "os_unfair_lock_s", "os_unfair_lock_t", "os_unfair_lock_lock",
        "os_unfair_lock_unlock", "os_unfair_lock_trylock", "OSAllocatedUnfairLock",
        "CFAbsoluteTimeGetCurrent", "CFAbsoluteTime", "NSFileCoordinator",
        "NSErrorPointer",
    ]

    private static let observation =
        "use observe(_:options:changeHandler:) of managed objects; for others post a notification, or "
        + "override didSet"
    private static let runtime = "it needs the Objective-C runtime; keep it for Apple's platforms"

    private static let advice: [String: String] = [
        "NSException": "throw an error, or stop with fatalError",
        "NSInvocation": runtime,
        "NSKeyValueChangeKey": observation,
        "NSSelectorFromString": "call the method directly",
        "NSStringFromSelector": "write the name as a string",
        "NSProtocolFromString": runtime,
        "NSFastEnumeration": "iterate over Sequence",
        "NSFilePresenter": "there is no file coordination",
        "NSUbiquitousKeyValueStore": "there is no iCloud; use UserDefaults",
        "NSItemProvider": runtime,
        "NSUserActivity": runtime,
        "NSMetadataQuery": "there is no Spotlight",
        "DistributedNotificationCenter": "use NotificationCenter",
        "NSProxy": runtime,
        "class_getInstanceMethod": runtime,
        "class_getClassMethod": runtime,
        "class_addMethod": runtime,
        "class_copyPropertyList": runtime,
        "class_getName": "write NSStringFromClass(…)",
        "class_getSuperclass": runtime,
        "method_exchangeImplementations": runtime,
        "method_setImplementation": runtime,
        "object_getClass": "write type(of: …)",
        "object_setClass": runtime,
        "objc_getAssociatedObject": "keep the value in a property",
        "objc_setAssociatedObject": "keep the value in a property",
        "objc_getClass": "write NSClassFromString(…)",
        "objc_msgSend": runtime,
        "NSPointerArray": "keep an array of weak references",
        "NSPurgeableData": "use Data",
        "NSLinguisticTagger": "there is no tagging of texts",
        "CFRunLoopRun": "write RunLoop.current.run()",
        "kCFBooleanTrue": "write NSNumber(value: true)",
        "kCFBooleanFalse": "write NSNumber(value: false)",
        "XCTAttachment": testing,
        "XCTContext": testing,
        "XCTExpectFailure": testing,
        "XCTKVOExpectation": testing,
        "keyValueObservingExpectation": testing,
    ]

    private static let testing = "XCTest lacks it on Linux; put it into #if canImport(ObjectiveC)"

    private static let memberAdvice: [String: String] = [
        "beginActivity": "leave it out; Linux does not put processes to sleep",
        "performSelector": "call the method, or use DispatchQueue.async",
    ]
}
