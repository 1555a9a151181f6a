import SwiftSource

/// Imports of modules that Linux lacks go into `#if canImport(…)`.
enum MissingModules {
    /// Modules of Apple's platforms that neither Linux nor this package has.
    static func isMissing(_ module: String) -> Bool { names.contains(module) }

    private static let logging: Set<String> = ["os", "OSLog"]

    /// - Parameter goneTypes: Types of other files that are there only where a module is.
    static func apply(to file: inout PortingFile, _ goneTypes: [String: String]) {
        // A file without such an import may inherit from a type that goes in another file.
        var modules = Set(goneTypes.values)
        for index in file.activeTokens where file.source.isToken(index, "import") {
            guard let statement = ImportStatement(at: index, in: file.source),
                isMissing(statement.module)
            else { continue }
            rewrite(statement, in: &file)
            modules.insert(statement.module)
        }
        // In a fixed order: a declaration that uses several modules goes by the first one.
        for module in modules.sorted() {
            let types = goneTypes.filter { $0.value == module }.map(\.key)
            var uses = ModuleUses(module, Set(types))
            uses?.apply(to: &file)
        }
    }

    private static func rewrite(_ statement: ImportStatement, in file: inout PortingFile) {
        let module = statement.module
        let text = file.source.text(file.byteRange(statement.tokens))
        guard statement.isAlone else {
            file.leave(
                statement.tokens.lowerBound,
                "Linux has no module \(module): put the import into #if canImport(\(module))"
            )
            return
        }
        var other: String?
        // Modules of this package have the names of these, so the names stay as they are.
        if logging.contains(module) {
            other = "import LegacyFoundation"
            file.neededModules.insert(LegacyModules.foundation)
            file.importedModules.insert(LegacyModules.foundation)
        } else if module == "Combine" {
            other = "import \(LegacyModules.combine)"
            file.neededModules.insert(LegacyModules.combine)
            file.importedModules.insert(LegacyModules.combine)
        } else if module == "Darwin" {
            other = "import Glibc"
        }
        // Other files of the module see the names by this import alone.
        if file.source.isToken(statement.tokens.lowerBound + 1, "_exported") {
            other = other.map { "@_exported \($0)" }
        }
        file.note(statement.tokens.lowerBound, "\(text): within #if canImport(\(module))")
        file.wrap(statement.tokens, in: "canImport(\(module))", else: other)
    }

    private static let names: Set<String> = [
        "ARKit", "AVFoundation", "AVKit", "Accelerate", "Accounts", "AddressBook", "AppIntents",
        "AppKit", "AuthenticationServices", "BackgroundTasks", "CloudKit", "Cocoa", "Combine",
        "CommonCrypto", "Contacts", "ContactsUI", "CoreBluetooth", "CoreFoundation",
        "CoreGraphics", "CoreImage", "CoreLocation", "CoreML", "CoreMedia", "CoreMotion",
        "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreTransferable",
        "CoreVideo", "CryptoKit", "Darwin", "EventKit", "GameKit", "HealthKit", "ImageIO",
        "IntentsUI", "Intents", "LinkPresentation", "LocalAuthentication", "MapKit", "Messages",
        "MessageUI", "Metal",
        "MobileCoreServices", "NaturalLanguage", "Network", "OSLog", "ObjectiveC", "PDFKit",
        "Photos", "PhotosUI", "QuartzCore", "QuickLook", "SafariServices", "SceneKit", "Security",
        "SpriteKit", "StoreKit", "SwiftData", "SwiftUI", "SystemConfiguration", "TipKit", "UIKit",
        "UniformTypeIdentifiers", "UserNotifications", "VideoToolbox", "Vision",
        "WatchConnectivity", "WatchKit", "WebKit", "WidgetKit", "XPC", "os",
    ]
}

/// An import declaration.
struct ImportStatement {
    let tokens: ClosedRange<Int>
    /// The module, without submodules.
    let module: String
    /// Whether it has a line, or several, of its own.
    let isAlone: Bool

    init?(at index: Int, in source: SwiftSource) {
        var name = index + 1
        if let kind = source.word(name), Self.kinds.contains(kind),
            source.word(name + 1) != nil
        {
            name += 1
        }
        guard let module = source.word(name) else { return nil }
        self.module = module
        var start = index
        while start > 0, !source.tokens[start].isFirstInLine { start -= 1 }
        var end = name
        while source.isToken(end + 1, "."), source.word(end + 2) != nil { end += 2 }
        tokens = start...end
        let prefix = source.tokens[start..<index].map(source.text)
        isAlone =
            prefix.allSatisfy { $0 != ";" && $0 != "}" }
            && (end + 1 == source.tokens.count || source.tokens[end + 1].isFirstInLine)
    }

    private static let kinds: Set<String> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]
}
