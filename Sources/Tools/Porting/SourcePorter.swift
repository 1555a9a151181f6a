import SwiftSource

/// Rewrites a Swift file for a platform without Objective-C, so that it compiles on Apple's
/// platforms as before.
///
/// Rewriting what was rewritten changes nothing. What only other platforms compile (`#if os(iOS)`,
/// `#if canImport(ObjectiveC)`, …) is left alone.
///
/// > Threading: Any thread.
package struct SourcePorter: Sendable {
    /// Objective-C's names of properties that have another in Swift, by the latter.
    private let renamedKeys: [String: String]
    private let optionalMethods: Set<String>
    private let goneTypes: [String: String]
    private let classNames: [String: String]

    /// - Parameter renamedKeys: Objective-C's names of properties that have another in Swift, by
    ///   the latter; see ``renamedKeys(in:)``.
    /// - Parameter optionalMethods: Optional methods of other files' protocols; see
    ///   ``optionalMethods(in:)``.
    /// - Parameter goneTypes: Types of other files that are put into `#if canImport(…)`, each with
    ///   its module.
    /// - Parameter classNames: Objective-C's names of classes, by those in Swift; see
    ///   ``classNames(in:)``.
    package init(
        renamedKeys: [String: String] = [:],
        optionalMethods: Set<String> = [],
        goneTypes: [String: String] = [:],
        classNames: [String: String] = [:]
    ) {
        self.renamedKeys = renamedKeys
        self.optionalMethods = optionalMethods
        self.goneTypes = goneTypes
        self.classNames = classNames
    }

    /// The classes of a file that say `@objc(Name)`: that name by the one in Swift.
    package static func classNames(in source: SwiftSource) -> [String: String] {
        ObjectiveCClassNames.names(in: source)
    }

    /// The optional methods of a file's protocols that get a default.
    package static func optionalMethods(in source: SwiftSource) -> Set<String> {
        OptionalRequirements.names(in: source)
    }

    /// The properties of a file that say `@objc(name)`: the name by the property's in Swift.
    package static func renamedKeys(in source: SwiftSource) -> [String: String] {
        var names: [String: String] = [:]
        for prefix in DeclarationPrefix.all(in: source) {
            guard let attribute = prefix.elements.first(where: { $0.name == "objc" }),
                source.word(prefix.end) == "var", let property = source.word(prefix.end + 1),
                attribute.tokens.count == 5, let name = source.word(attribute.tokens.lowerBound + 3)
            else { continue }
            names[property] = name == property ? nil : name
        }
        return names
    }

    /// Rewrites a text.
    ///
    /// - Complexity: O(*n* log *n*) for *n* bytes.
    package func port(_ bytes: [UInt8]) -> PortedSource {
        // What is reported comes from the first pass, whose lines are those that the user sees.
        let first = pass(bytes)
        var text = first.editedBytes
        let names = NameUses(first)
        // A block form repeats arguments of the statement that it stands for; what they need is
        // done in the next pass.
        for _ in 0..<2 where text != bytes { text = pass(text).editedBytes }
        return PortedSource(
            bytes: text,
            findings: first.findings.sorted { $0.line < $1.line },
            neededModules: first.neededModules,
            goneTypes: first.goneTypes,
            names: names
        )
    }

    private func pass(_ bytes: [UInt8]) -> PortingFile {
        var file = PortingFile(SwiftSource(bytes))
        if let line = file.source.unfinished?.line {
            file.leave(line: line, "a literal or comment does not end; nothing below was looked at")
        }
        SwiftTwoNames.apply(to: &file)
        DispatchFunctions.apply(to: &file)
        MagicalRecordNames.apply(to: &file)
        CoreDataImports.apply(to: &file)
        // Before the rules below, which look only at what Linux compiles: it adds a branch to that.
        PlatformChains.apply(to: &file)
        // Then, for what it puts around a declaration stands outside of all else.
        MissingModules.apply(to: &file, goneTypes)
        QualifiedNames.apply(to: &file)
        ObjectiveCAttributes.apply(to: &file)
        let optional = optionalMethods.union(OptionalRequirements.names(in: file.source))
        OptionalRequirements.rewriteCalls(of: optional, in: &file)
        let classNames = classNames.merging(ObjectiveCClassNames.names(in: file.source)) {
            first,
            _ in first
        }
        ObjectiveCClassNames.apply(to: &file, classNames)
        KeyPathStrings(renamedKeys: renamedKeys).apply(to: &file)
        ThreadCalls.apply(to: &file)
        StringSelectors.apply(to: &file)
        RuntimeNames.apply(to: &file)
        Selectors.apply(to: &file)
        RequestCasts.apply(to: &file)
        MissingNames.apply(to: &file)
        ExtensionOverrides.apply(to: &file)
        ChangeObservers.apply(to: &file)
        AnyObjectMembers.apply(to: &file)
        BundleIdentifiers.apply(to: &file)
        ClassBundles.apply(to: &file)
        // Last, for it imports the modules that the rules above have noted.
        LegacyImport.apply(to: &file)
        return file
    }
}
