import Foundation
import SwiftSource

/// Rewrites the Swift files of some directories.
///
/// Hidden directories, dependencies (`Pods`, `Carthage`), manifests and links are left out.
///
/// > Threading: Any thread.
package struct DirectoryPorter: Sendable {
    /// A file with what was found in it.
    package struct File: Sendable {
        /// The path below the directory, or the file's name.
        package let path: String
        /// What was found, by line.
        package let findings: [PortFinding]
    }

    private let roots: [URL]

    /// - Parameter roots: Directories, or single files.
    package init(_ roots: [URL]) { self.roots = roots }

    /// - Parameter root: A directory, or one file.
    package init(_ root: URL) { self.init([root]) }

    /// Looks at all files, and rewrites them if asked to.
    ///
    /// Each file is replaced at once, or not at all.
    ///
    /// - Parameter writes: Whether files are rewritten.
    /// - Returns: The files in which something was found, by path.
    /// - Throws: What Foundation throws if a file can't be read or written.
    package func run(writes: Bool) throws -> [File] {
        let urls = Set(try roots.flatMap(fileURLs)).sorted { $0.path < $1.path }
        var texts: [(url: URL, bytes: [UInt8])] = []
        var renamedKeys: [String: String] = [:]
        var optionalMethods: Set<String> = []
        for url in urls {
            let bytes = [UInt8](try Data(contentsOf: url))
            texts.append((url, bytes))
            let source = SwiftSource(bytes)
            renamedKeys.merge(SourcePorter.renamedKeys(in: source)) { first, _ in first }
            optionalMethods.formUnion(SourcePorter.optionalMethods(in: source))
        }
        let porter = SourcePorter(renamedKeys: renamedKeys, optionalMethods: optionalMethods)
        var files: [File] = []
        var neededModules: Set<String> = []
        for (url, bytes) in texts {
            let ported = porter.port(bytes)
            neededModules.formUnion(ported.neededModules)
            if writes, ported.bytes != bytes {
                try Data(ported.bytes).write(to: url, options: .atomic)
            }
            if !ported.findings.isEmpty {
                files.append(File(path: path(of: url), findings: ported.findings))
            }
        }
        return files + manifestFindings(neededModules)
    }

    // MARK: Files

    private func fileURLs(of root: URL) throws -> [URL] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isDirectory) else {
            throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: root.path])
        }
        guard isDirectory.boolValue else { return [root] }
        let keys: [URLResourceKey] = [.isRegularFileKey]
        let walk = FileManager.default.enumerator(
            at: root,
            includingPropertiesForKeys: keys,
            options: [.skipsHiddenFiles]
        )
        var urls: [URL] = []
        while let url = walk?.nextObject() as? URL {
            let name = url.lastPathComponent
            if Self.foreignDirectories.contains(name) { walk?.skipDescendants() }
            guard url.pathExtension == "swift", !Self.isManifest(name),
                try url.resourceValues(forKeys: Set(keys)).isRegularFile == true
            else { continue }
            urls.append(url)
        }
        return urls
    }

    private static let foreignDirectories: Set<String> = ["Pods", "Carthage", "DerivedData"]

    private static func isManifest(_ name: String) -> Bool {
        name == "Package.swift" || name.hasPrefix("Package@")
    }

    private func path(of url: URL) -> String {
        let path = url.standardizedFileURL.path
        // Of several directories, the names tell them apart.
        let bases = roots.map { root in
            (roots.count == 1 ? root : root.deletingLastPathComponent()).standardizedFileURL.path
                + "/"
        }
        guard let base = bases.first(where: path.hasPrefix) else { return url.lastPathComponent }
        return String(path.dropFirst(base.count))
    }

    // MARK: Manifest

    /// Says which modules the package's manifest does not name.
    private func manifestFindings(_ modules: Set<String>) -> [File] {
        let manifest = manifest() ?? ""
        let missing = modules.filter { !manifest.contains($0) }.sorted()
        guard !missing.isEmpty else { return [] }
        let findings = missing.map { module in
            PortFinding(
                kind: .left,
                line: 1,
                message: "add the product \(module) of package MergeStack to the targets, on "
                    + "Linux; sources import it"
            )
        }
        return [File(path: "Package.swift", findings: findings)]
    }

    private func manifest() -> String? {
        guard var directory = roots.first?.standardizedFileURL else { return nil }
        while directory.path != "/" {
            let url = directory.appendingPathComponent("Package.swift")
            if let data = try? Data(contentsOf: url) {
                return String(decoding: data, as: UTF8.self)
            }
            directory.deleteLastPathComponent()
        }
        return nil
    }
}
