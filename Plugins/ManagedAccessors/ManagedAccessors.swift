import Foundation
import PackagePlugin

/// Has the accessors of a target's `@NSManaged` properties and functions generated, where there is
/// no Objective-C runtime that makes them at run time.
@main
struct ManagedAccessors: BuildToolPlugin {
    /// The modules whose types the generator knows, or which have none that it needs; nor have those
    /// that they stand on.
    private static let knownModules: Set<String> = ["CoreData", "MergeStack"]

    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        #if os(macOS)
        return []
        #else
        guard let module = target as? SwiftSourceModuleTarget else { return [] }
        let generated = Self.generatedSources(of: module, context)
        let written = module.sourceFiles(withSuffix: "swift").map(\.url)
        let outputFolder = context.pluginWorkDirectoryURL.appending(path: "Accessors")
        let tool = try context.tool(named: "managed-accessors")
        let compiler = try context.tool(named: "swiftc")

        var arguments = [
            "--module", module.moduleName, "--package", context.package.id, "--compiler",
            compiler.url.path, "--work",
            context.pluginWorkDirectoryURL.appending(path: "Work").path,
        ]
        for condition in module.compilationConditions { arguments += ["--condition", condition] }
        var inputs = written + generated
        for dependency in Self.dependencies(of: module) {
            arguments += ["--dependency", dependency.moduleName, dependency.directoryURL.path]
            inputs += dependency.sourceFiles(withSuffix: "swift").map(\.url)
        }
        var outputs: [URL] = []
        for source in written + generated {
            // What another plugin generates may not be there yet.
            guard generated.contains(source) || Self.hasManagedMembers(source) else {
                arguments += ["--source", source.path]
                continue
            }
            let stem = source.deletingPathExtension().lastPathComponent
            let output = outputFolder.appending(path: "\(stem)+ManagedAccessors.swift")
            arguments += ["--generate", source.path, output.path]
            outputs.append(output)
        }
        let keyed = outputFolder.appending(path: "ManagedAccessors+KeyedProperties.swift")
        let typeNames = outputFolder.appending(path: "ManagedAccessors+TypeNames.swift")
        arguments += ["--keyed", keyed.path, "--type-names", typeNames.path]
        outputs += [keyed, typeNames]
        return [
            .buildCommand(
                displayName: "Generating the accessors of \(module.name)",
                executable: tool.url,
                arguments: arguments,
                inputFiles: inputs,
                outputFiles: outputs
            )
        ]
        #endif
    }

    /// What plugins before this one generate.
    ///
    /// SwiftPM tells it in packages of tools version 6.0 and later only; in others `ManagedClasses`
    /// leaves a list beside its output.
    private static func generatedSources(
        of module: SwiftSourceModuleTarget,
        _ context: PluginContext
    ) -> [URL] {
        let known = module.pluginGeneratedSources.filter { $0.pathExtension == "swift" }
        guard known.isEmpty else { return known }
        let list = context.pluginWorkDirectoryURL.deletingLastPathComponent()
            .appending(path: "ManagedClasses/GeneratedSources.txt")
        guard let text = try? String(contentsOf: list, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map { URL(fileURLWithPath: String($0)) }
    }

    private static func dependencies(
        of module: SwiftSourceModuleTarget
    ) -> [SwiftSourceModuleTarget] {
        let all = module.recursiveTargetDependencies.compactMap { $0 as? SwiftSourceModuleTarget }
        let known = all.filter { knownModules.contains($0.moduleName) }
        let beneath = Set(known.flatMap(\.recursiveTargetDependencies).map(\.id))
        return all.filter { !knownModules.contains($0.moduleName) && !beneath.contains($0.id) }
    }

    private static func hasManagedMembers(_ source: URL) -> Bool {
        guard let data = try? Data(contentsOf: source) else { return false }
        return data.range(of: Data("@NSManaged".utf8)) != nil
    }
}
