import SwiftSource

/// Puts declarations that use names of a module that Linux lacks into `#if canImport(…)`: members
/// where a type only has some of them, the whole type where it inherits from, or conforms to, one.
struct ModuleUses {
    private let module: String
    private let isName: @Sendable (String) -> Bool
    /// Properties that are within `#if` already; what uses them has to be, too.
    private var properties: Set<String> = []
    /// Types that are.
    private var types: Set<String>
    private var wrapped: Set<Int> = []
    /// Names that the file declares itself, in a type of its own or outside.
    private var ownNames: Set<String> = []

    /// - Parameter types: Types of other files that are within `#if` because of the module.
    /// - Returns: nil for a module whose names are not known here.
    init?(_ module: String, _ types: Set<String> = []) {
        self.module = module
        self.types = types
        if let names = Self.names[module] {
            isName = { names.contains($0) }
        } else if let prefix = Self.prefixes[module] {
            isName = { name in
                // `UInt8` begins as names of UIKit do, but goes on in lower case.
                name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isUppercase == true
            }
        } else {
            return nil
        }
    }

    mutating func apply(to file: inout PortingFile) {
        let source = file.source
        ownNames = Set(
            source.tokens.indices.filter { index in
                source.word(index).map {
                    $0 == "typealias" || SwiftKeywords.types.contains($0) && $0 != "extension"
                } ?? false
            }.compactMap { source.word($0 + 1) }
        )
        let all = DeclarationList(0..<source.tokens.count, in: source)
        var count = -1
        // A property that goes takes along what uses it, above and below.
        while wrapped.count > count {
            count = wrapped.count
            for declaration in all.declarations { apply(to: declaration, in: &file) }
        }
    }

    private mutating func apply(
        to declaration: DeclarationList.Declaration,
        in file: inout PortingFile
    ) {
        let start = declaration.tokens.lowerBound
        guard !file.source.isToken(start, "import"), !wrapped.contains(start) else { return }
        // An inheritance clause can't hold an `#if`, so a type that inherits from a missing one
        // goes whole.
        if uses(DeclarationList.header(declaration), in: file) {
            wrapped.insert(start)
            wrap(declaration, in: &file)
        } else if let body = declaration.body, uses(body.lowerBound..<body.upperBound, in: file) {
            let members = DeclarationList(body.lowerBound + 1..<body.upperBound, in: file.source)
            for member in members.declarations { apply(to: member, in: &file) }
        }
    }

    private mutating func wrap(
        _ declaration: DeclarationList.Declaration,
        in file: inout PortingFile
    ) {
        let start = declaration.tokens.lowerBound
        let introducer = DeclarationPrefix(file.source, at: start)?.end ?? start
        // Without the initializer Linux might have no way to make a value of the type.
        if file.source.isToken(introducer, "init") {
            file.leave(
                start,
                "the initializer uses \(module): put what does into #if canImport(\(module))"
            )
            return
        }
        if let name = file.source.word(introducer + 1), let kind = file.source.word(introducer) {
            if kind == "var" || kind == "let" { properties.insert(name) }
            // A type stays when one of its extensions goes.
            if kind != "extension", SwiftKeywords.types.contains(kind) || kind == "typealias",
                !SwiftKeywords.introducers.contains(name)
            {
                types.insert(name)
                file.noteGone(name, with: module)
            }
        }
        file.note(start, "a declaration that uses \(module): within #if canImport(\(module))")
        file.wrap(declaration.tokens, in: "canImport(\(module))")
        // Later rules leave alone what Linux does not compile any more.
        file.deactivate(declaration.tokens)
    }

    private func uses(_ tokens: Range<Int>, in file: PortingFile) -> Bool {
        tokens.contains { index in
            guard file.isActive(index), let name = file.source.word(index) else { return false }
            guard file.source.isToken(index - 1, ".") else {
                return isName(name) && !ownNames.contains(name) || properties.contains(name)
                    || types.contains(name)
            }
            // Behind any other value it is a member of a type that is not known here.
            return properties.contains(name) && file.source.isToken(index - 2, "self")
        }
    }

    /// Whether a name is of the user interface of some platform.
    static func isOfInterface(_ name: String) -> Bool {
        ["UIKit", "WatchKit", "AppKit", "SwiftUI"].contains { module in
            ModuleUses(module)?.isName(name) == true
        }
    }

    private static let prefixes = [
        "UIKit": "UI", "CloudKit": "CK", "CoreLocation": "CL", "MapKit": "MK",
        "CoreSpotlight": "CS",
        "WatchKit": "WK", "WebKit": "WK", "StoreKit": "SK", "Contacts": "CN", "HealthKit": "HK",
        "EventKit": "EK", "LinkPresentation": "LP",
    ]

    private static let views: Set<String> = [
        "NSApplication", "NSApplicationDelegate", "NSArrayController", "NSCollectionView",
        "NSColor",
        "NSDocument", "NSEvent", "NSFont", "NSImage", "NSMenu", "NSObjectController",
        "NSOutlineView", "NSPersistentDocument", "NSResponder", "NSTableView", "NSTextField",
        "NSTreeController", "NSView", "NSViewController", "NSWindow", "NSWindowController",
    ]

    private static let names: [String: Set<String>] = [
        "AppKit": views,
        "Cocoa": views,
        "SwiftUI": [
            "AppStorage", "Binding", "DynamicProperty", "Environment", "EnvironmentKey",
            "EnvironmentObject", "EnvironmentValues", "FetchRequest", "FetchedResults",
            "ObservedObject", "PreviewProvider", "Scene", "SectionedFetchRequest",
            "SectionedFetchResults", "State", "StateObject", "View", "ViewModifier",
        ],
        "UniformTypeIdentifiers": ["UTType"],
    ]
}
