import Foundation
import PackagePlugin

/// Generates the classes that a target's models ask for, as Xcode does: `Person` and its
/// properties for entities whose Codegen is "Class Definition", the properties alone for
/// "Category/Extension".
@main
struct ManagedClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        #if os(macOS)
        // Xcode generates these classes itself; two of each would not compile.
        return []
        #else
        let tool = try context.tool(named: "managed-classes").url
        return try Self.models(in: target.directoryURL).map { model in
            let name = model.deletingPathExtension().lastPathComponent
            let output = context.pluginWorkDirectoryURL
                .appendingPathComponent("\(name)+CoreDataClasses.swift")
            return .buildCommand(
                displayName: "Generating the classes of \(model.lastPathComponent)",
                executable: tool,
                arguments: [model.path, output.path],
                inputFiles: try Self.files(in: model),
                outputFiles: [output]
            )
        }
        #endif
    }

    /// The models below a directory, those inside of other models left out.
    private static func models(in directory: URL) throws -> [URL] {
        var models: [URL] = []
        let walk = FileManager.default.enumerator(
            at: directory,
            includingPropertiesForKeys: nil,
            options: [.skipsHiddenFiles]
        )
        while let url = walk?.nextObject() as? URL {
            guard ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) else { continue }
            models.append(url)
            walk?.skipDescendants()
        }
        return models.sorted { $0.path < $1.path }
    }

    /// What the classes depend on.
    private static func files(in model: URL) throws -> [URL] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: model.path)
        return names.filter { $0.hasSuffix("contents") || $0.hasSuffix(".xccurrentversion") }
            .sorted().map { model.appendingPathComponent($0) }
    }
}
