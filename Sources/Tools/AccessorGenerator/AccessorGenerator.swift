import Foundation

/// Writes the accessors of a module's `@NSManaged` properties and functions.
///
/// Without an Objective-C runtime the compiler leaves these as undefined symbols. The generated
/// files define them; see `Docs/ManagedAccessors.md`.
public struct AccessorGenerator {
    private let options: GeneratorOptions

    /// A generator for one target.
    public init(_ options: GeneratorOptions) { self.options = options }

    /// Writes the files; those that would stay the same are left alone.
    ///
    /// - Throws: ``GeneratorError`` with the place of what can't be handled; what the compiler said
    ///   of types that it does not find, with places too; what reading and writing files throws.
    public func run() throws {
        let module = try ModuleSources(
            name: options.moduleName,
            paths: options.sources.map(\.path)
        )
        try module.readManagedFiles()
        let needed = try NeededTypes(module: module, dependencies: try dependencies())
        let workFolder = URL(fileURLWithPath: options.workFolder, isDirectory: true)
        try FileManager.default.createDirectory(at: workFolder, withIntermediateDirectories: true)
        let compiler = SwiftCompiler(
            executable: URL(fileURLWithPath: options.compiler),
            workFolder: workFolder
        )
        let hasMembers = module.files.contains { file in
            file.allDeclarations.contains(where: \.hasManagedMembers)
        }
        let symbols =
            hasMembers
            ? try SymbolFinder(compiler: compiler, options: options).symbols(module, needed) : [:]
        for source in options.sources {
            // Each file that the plugin has announced is written, also one without accessors: the
            // build waits for it.
            guard let output = source.output else { continue }
            let file = module.files.first { $0.path == source.path }
            let sidecar = Sidecar(module: module, symbols: symbols)
            try Self.write(try file.map(sidecar.text) ?? Sidecar.empty, to: output)
        }
        try writeTypeNames()
        try writeKeyedProperties()
    }

    /// The names of classes that would be ambiguous.
    private func writeTypeNames() throws {
        guard !options.typeNamesOutput.isEmpty else { return }
        // Read anew, for a module tells what files mention only of those that it has not parsed.
        let module = try ModuleSources(
            name: options.moduleName,
            paths: options.sources.map(\.path)
        )
        try Self.write(TypeNameWriter(module: module).text(), to: options.typeNamesOutput)
    }

    /// The list of properties for key-value access. It has sources of its own: more files are read
    /// than accessors need, and the types in these must not change what the accessors' types mean.
    private func writeKeyedProperties() throws {
        guard !options.keyedOutput.isEmpty else { return }
        let module = try ModuleSources(
            name: options.moduleName,
            paths: options.sources.map(\.path)
        )
        let writer = KeyedPropertyWriter(module: module, dependencies: try dependencies())
        try Self.write(writer.text(), to: options.keyedOutput)
    }

    private func dependencies() throws -> [ModuleSources] {
        try options.dependencies.map { name, folder in
            try ModuleSources(name: name, paths: Self.swiftFiles(in: folder))
        }
    }

    private static func swiftFiles(in folder: String) -> [String] {
        let files =
            FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    }

    private static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        // Not touched: the build would compile the file again.
        if FileManager.default.contents(atPath: path) == data { return }
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
