import SwiftSource

/// Names that Foundation lacks on Linux: those that another module has, and those that a person has to
/// replace.
enum MissingNames {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        let importsCombine = source.tokens.indices.contains {
            source.isToken($0, "import") && source.isToken($0 + 1, "Combine")
        }
        for index in file.activeTokens {
            guard let name = file.source.word(index),
                !LegacyModules.note(name, index, in: &file),
                !FoundationModules.note(name, index, in: &file)
            else { continue }
            if importsCombine, combineAdvice.contains(name),
                !LegacyModules.isMemberOrDeclared(index, in: file.source)
            {
                file.leave(
                    index,
                    "\(LegacyModules.combine) has no \(name): use a subject, sink and operators, "
                        + "or put this into #if canImport(Combine)"
                )
            } else if let advice = advice[name] {
                guard !LegacyModules.isMemberOrDeclared(index, in: file.source) else { continue }
                file.leave(index, "Linux has no \(name): \(advice)")
            } else if let advice = memberAdvice[name], file.source.isToken(index - 1, ".") {
                file.leave(index, "Linux has no \(name): \(advice)")
            }
        }
    }

    private static let runtime = "it needs the Objective-C runtime; keep it for Apple's platforms"

    private static let advice: [String: String] = [
        "NSInvocation": runtime,
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
        "objc_getClass": "write NSClassFromString(…)",
        "objc_msgSend": runtime,
        "NSPointerArray": "keep an array of weak references",
        "NSPurgeableData": "use Data",
        "NSLinguisticTagger": "there is no tagging of texts",
        "CFRunLoopRun": "write RunLoop.current.run()",
        "kCFBooleanTrue": "write NSNumber(value: true)",
        "kCFBooleanFalse": "write NSNumber(value: false)",
        "XCTExpectFailure": testing,
    ]

    private static let testing = "XCTest lacks it on Linux; put it into #if canImport(ObjectiveC)"

    /// What is Combine's only in a file that imports it.
    private static let combineAdvice: Set<String> = [
        "AnySubscriber", "ConnectablePublisher", "CustomCombineIdentifierConvertible", "Publishers",
        "Record", "Subscriber", "Subscription", "TopLevelDecoder", "TopLevelEncoder",
    ]

    private static let memberAdvice: [String: String] = [
        "beginActivity": "leave it out; Linux does not put processes to sleep"
    ]
}
