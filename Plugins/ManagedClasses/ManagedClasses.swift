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
        let folder = context.pluginWorkDirectoryURL
        let models = try Self.models(in: target.directoryURL)
        let outputs = models.map { model in
            let name = model.deletingPathExtension().lastPathComponent
            return folder.appendingPathComponent("\(name)+CoreDataClasses.swift")
        }
        try Self.announce(outputs, in: folder)
        return try zip(models, outputs).map { model, output in
            .buildCommand(
                displayName: "Generating the classes of \(model.lastPathComponent)",
                executable: tool,
                arguments: [model.path, output.path],
                inputFiles: try Self.files(in: model),
                outputFiles: [output]
            )
        }
        #endif
    }

    /// Tells plugins that come behind this one what will be generated.
    ///
    /// SwiftPM tells them itself, but only in packages whose tools version is 6.0 or later.
    private static func announce(_ outputs: [URL], in folder: URL) throws {
        let list = folder.appendingPathComponent("GeneratedSources.txt")
        let text = outputs.map { $0.path + "\n" }.joined()
        try Data(text.utf8).write(to: list, options: .atomic)
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
