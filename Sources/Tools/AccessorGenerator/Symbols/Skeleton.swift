/// Source that has the same types and managed members as a module, and nothing else.
///
/// The accessors have bodies that name them, so that what the compiler makes of it tells the symbol
/// of each.
struct Skeleton {
    /// Files by name. The names matter: symbols of private members depend on them.
    private(set) var files: [(name: String, text: String)] = []
    let needed: NeededTypes
    /// Whether all is made public, for a module that others import.
    let isForImport: Bool
    /// The modules that are needed and that no file imports: others must give their types on.
    private let indirectModules: Set<String>

    init(of sources: ModuleSources, needed: NeededTypes, isForImport: Bool) {
        self.needed = needed
        self.isForImport = isForImport
        let imported = sources.files.flatMap(\.imports).map(\.module)
        indirectModules = Set(needed.neededDependencies.map(\.name)).subtracting(imported)
        for file in sources.files {
            var lines: [String] = []
            for declaration in file.declarations { append(declaration, to: &lines) }
            guard !lines.isEmpty else { continue }
            let text = (importLines(of: file) + lines).joined(separator: "\n") + "\n"
            files.append(("\(file.stem).swift", text))
        }
    }

    /// What the markers are called with.
    static let support = """
        func accessorMarker(_ text: StaticString) -> Never { fatalError() }

        """

    // MARK: Imports

    private func importLines(of file: ParsedFile) -> [String] {
        var lines = ["import CoreData", "import Foundation"]
        var known: Set<String> = ["CoreData", "Foundation", "XCTest", "Testing", "MergeStack"]
        // Not all that a file imports is built, or made here as a stand-in, when the generator
        // runs.
        for statement in file.imports where known.insert(statement.module).inserted {
            lines += [
                "#if canImport(\(statement.module))", "import \(statement.module)", "#endif",
            ]
        }
        for module in indirectModules.sorted() where known.insert(module).inserted && !isForImport {
            lines += ["#if canImport(\(module))", "import \(module)", "#endif"]
        }
        return lines
    }

    // MARK: Types

    private func append(_ declaration: Declaration, to lines: inout [String]) {
        guard declaration.tree.contains(where: needed.contains) else { return }
        for condition in declaration.conditions { lines.append("#if \(condition)") }
        if declaration.kind == .typealias {
            lines.append(place(declaration.file.path, declaration.line))
            lines.append(
                "\(access(declaration))typealias \(declaration.name)"
                    + "\(declaration.genericParameters) = \(declaration.aliasedType)"
            )
        } else {
            lines.append(header(declaration) + " {")
            // An enumeration without cases has no values, and so no accessors.
            if declaration.kind == .enum { lines.append("case managedPlaceholder") }
            for child in declaration.children { append(child, to: &lines) }
            if !isForImport { appendMembers(of: declaration, to: &lines) }
            lines.append("}")
        }
        lines += declaration.conditions.map { _ in "#endif" }
    }

    private static let rawTypes: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
        "String", "Double", "Float", "Character",
    ]

    private func header(_ declaration: Declaration) -> String {
        let words = access(declaration) + declaration.kind.rawValue + " " + declaration.name
        switch declaration.kind {
        case .class:
            return words + declaration.genericParameters + ": " + superclass(of: declaration)
        case .struct:
            // A property may be a set or a dictionary of them.
            return words + declaration.genericParameters + ": Hashable"
        case .enum:
            // Its raw type counts: a property may be of type `Kind.RawValue`.
            let raw = declaration.inherited.first.flatMap { Self.rawTypes.contains($0) ? $0 : nil }
            return words + declaration.genericParameters + ": " + (raw ?? "Hashable")
        case .protocol:
            let classes = declaration.inherited.filter(isClass)
            return words + (classes.first.map { ": \($0)" } ?? "")
        case .extension:
            let access = isForImport ? "" : access(declaration)
            return "\(access)extension \(declaration.name) \(declaration.whereClause)"
        case .actor, .typealias:
            return words + declaration.genericParameters
        }
    }

    private func access(_ declaration: Declaration) -> String {
        if isForImport {
            // What stands in a protocol has the protocol's access and may not say another.
            if declaration.parent?.kind == .protocol { return "" }
            return declaration.kind == .class ? "open " : "public "
        }
        return declaration.prefix.access.map { "\($0) " } ?? ""
    }

    private func superclass(of declaration: Declaration) -> String {
        // A superclass that no member needs is not in the skeleton, and no symbol names it.
        declaration.inherited.first(where: isClass) ?? "NSObject"
    }

    private func isClass(_ type: String) -> Bool {
        guard let name = ClassHierarchy.simpleName(type) else { return false }
        return CoreDataStub.classNames.contains(name) || name == "NSObject"
            || ([needed.module] + needed.dependencies).contains { module in
                module.declarations[name]?.contains { $0.kind == .class && needed.contains($0) }
                    ?? false
            }
    }

    // MARK: Members

    private func appendMembers(of declaration: Declaration, to lines: inout [String]) {
        for (index, property) in declaration.properties.enumerated() {
            append(property.conditions, declaration.file.path, property.line, to: &lines) {
                var access = property.prefix.access.map { "\($0) " } ?? ""
                // Without the property that it overrides, the word would be an error in the
                // skeleton.
                if property.prefix.isOverride, overrides(property, declaration) {
                    access += "override "
                }
                let markers = Marker(declaration, index)
                // Computed, so that both accessors have a body with a marker; the compiler would
                // write those of a stored property.
                return "\(access)var `\(property.name)`: \(property.type) "
                    + "{ get { accessorMarker(\"\(markers.getter)\") } "
                    + "set { accessorMarker(\"\(markers.setter)\") } }"
            }
        }
        for (index, function) in declaration.functions.enumerated() {
            append(function.conditions, declaration.file.path, function.line, to: &lines) {
                let access = function.prefix.access.map { "\($0) " } ?? ""
                let parameters = function.parameters.enumerated().map { position, parameter in
                    "\(parameter.label) value\(position): \(parameter.type)"
                }
                let result = function.returnType.map { " -> \($0)" } ?? ""
                let marker = Marker.function(declaration, index)
                return "\(access)func `\(function.name)`(\(parameters.joined(separator: ", ")))"
                    + "\(result) { accessorMarker(\"\(marker)\") }"
            }
        }
    }

    /// Whether the skeleton has the property that another one overrides.
    ///
    /// - Parameter seen: The classes that led to the declaration. Nested classes of one name may
    ///   seem to inherit from each other in a circle.
    private func overrides(
        _ property: ManagedProperty,
        _ declaration: Declaration,
        _ seen: [Declaration] = []
    ) -> Bool {
        let seen = seen + [declaration]
        let names = declaration.inherited.compactMap(ClassHierarchy.simpleName)
        return names.contains { name in
            needed.module.declarations[name]?.contains { parent in
                parent.kind == .class && !seen.contains { $0 === parent }
                    && (parent.properties.contains { $0.name == property.name }
                        || overrides(property, parent, seen))
            } ?? false
        }
    }

    private func append(
        _ conditions: [String],
        _ path: String,
        _ line: Int,
        to lines: inout [String],
        _ text: () -> String
    ) {
        lines += conditions.map { "#if \($0)" }
        lines.append(place(path, line))
        lines.append(text())
        lines += conditions.map { _ in "#endif" }
    }

    private func place(_ path: String, _ line: Int) -> String {
        // The compiler's errors then name the client's line, not one of a file that nobody has
        // written.
        "#sourceLocation(file: \"\(path)\", line: \(line))"
    }
}

/// What the bodies of a skeleton say, so that symbols are told apart. They don't change as long as the
/// declarations stay in order.
struct Marker {
    let getter: String
    let setter: String

    /// The markers of a property, by its place in its class.
    init(_ declaration: Declaration, _ index: Int) {
        let base = "\(declaration.file.stem).\(declaration.ordinal).\(index)"
        getter = "managed-getter \(base)"
        setter = "managed-setter \(base)"
    }

    static func function(_ declaration: Declaration, _ index: Int) -> String {
        "managed-function \(declaration.file.stem).\(declaration.ordinal).\(index)"
    }
}
