import Foundation

/// Asks the compiler for the symbols of a module's managed members.
struct SymbolFinder {
    let compiler: SwiftCompiler
    let options: GeneratorOptions

    /// The symbols by marker. Those of members that no build has are left out.
    ///
    /// The compiler is asked only if the skeleton is another one than last time.
    ///
    /// - Throws: `SwiftCompiler.Failure`; what reading and writing files throws.
    func symbols(_ module: ModuleSources, _ needed: NeededTypes) throws -> [String: String] {
        let skeleton = Skeleton(of: module, needed: needed, isForImport: false)
        let stubs = Self.importedFirst(needed.neededDependencies).map { dependency in
            (dependency.name, Skeleton(of: dependency, needed: needed, isForImport: true))
        }
        let inputs =
            skeleton.files + stubs.flatMap(\.1.files)
            + [
                (
                    "options",
                    "\(options.conditions)\(options.packageName)\(compiler.executable.path)"
                )
            ]
        // With what else decides on symbols: the conditions, and which compiler it is.
        let fingerprint = inputs.map { "\($0.name)\n\(Self.withoutPlaces($0.text))" }
            .joined(separator: "\n")
        if let known = remembered(fingerprint) { return known }

        try compiler.makeModule(
            "CoreData",
            [("CoreData.swift", CoreDataStub.text)],
            options: []
        )
        for (name, stub) in stubs where !stub.files.isEmpty {
            try compiler.makeModule(name, stub.files, options: compilerOptions)
        }
        var symbols = try symbols(skeleton, [])
        // In both configurations, for members that only one of them has.
        if fingerprint.contains("DEBUG") {
            symbols.merge(try self.symbols(skeleton, ["-D", "DEBUG"])) { $1 }
        }
        try remember(fingerprint, symbols)
        return symbols
    }

    private func symbols(_ skeleton: Skeleton, _ extra: [String]) throws -> [String: String] {
        let support = ("ManagedAccessorMarkers.swift", Skeleton.support)
        let code = try compiler.intermediateCode(
            options.moduleName,
            skeleton.files + [support],
            options: compilerOptions + extra
        )
        return SymbolReader.symbols(in: code)
    }

    private var compilerOptions: [String] {
        // What is generated serves both configurations, so `DEBUG` is asked for apart.
        let conditions = Set(options.conditions + ["SWIFT_PACKAGE"]).subtracting(["DEBUG"])
        return conditions.sorted().flatMap { ["-D", $0] } + ["-package-name", options.packageName]
    }

    /// The modules in an order in which each comes after those that it imports.
    private static func importedFirst(_ modules: [ModuleSources]) -> [ModuleSources] {
        var result: [ModuleSources] = []
        var seen: Set<String> = []
        func visit(_ module: ModuleSources) {
            guard seen.insert(module.name).inserted else { return }
            let imported = Set(module.files.flatMap(\.imports).map(\.module))
            for other in modules where imported.contains(other.name) { visit(other) }
            result.append(module)
        }
        for module in modules { visit(module) }
        return result
    }

    // MARK: What is remembered

    /// Lines that move don't change symbols.
    private static func withoutPlaces(_ text: String) -> String {
        text.split(separator: "\n").filter { !$0.hasPrefix("#sourceLocation") }
            .joined(separator: "\n")
    }

    private var memory: URL { compiler.workFolder.appendingPathComponent("symbols.plist") }

    private func remembered(_ fingerprint: String) -> [String: String]? {
        // What can't be read counts as nothing: asking the compiler again is always right.
        guard let data = FileManager.default.contents(atPath: memory.path),
            let known = try? PropertyListDecoder().decode(Memory.self, from: data),
            known.fingerprint == fingerprint
        else { return nil }
        return known.symbols
    }

    private func remember(_ fingerprint: String, _ symbols: [String: String]) throws {
        let data = try PropertyListEncoder().encode(
            Memory(fingerprint: fingerprint, symbols: symbols)
        )
        try data.write(to: memory, options: .atomic)
    }

    private struct Memory: Codable {
        let fingerprint: String
        let symbols: [String: String]
    }
}
