import Foundation
import SwiftSource

/// Rewrites the Swift files of a directory.
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

    private let root: URL

    /// - Parameter root: A directory, or one file.
    package init(_ root: URL) { self.root = root }

    /// Looks at all files, and rewrites them if asked to.
    ///
    /// Each file is replaced at once, or not at all.
    ///
    /// - Parameter writes: Whether files are rewritten.
    /// - Returns: The files in which something was found, by path.
    /// - Throws: What Foundation throws if a file can't be read or written.
    package func run(writes: Bool) throws -> [File] {
        let urls = try fileURLs()
        var texts: [(url: URL, bytes: [UInt8])] = []
        var renamedKeys: [String: String] = [:]
        for url in urls {
            let bytes = [UInt8](try Data(contentsOf: url))
            texts.append((url, bytes))
            let names = SourcePorter.renamedKeys(in: SwiftSource(bytes))
            renamedKeys.merge(names) { first, _ in first }
        }
        let porter = SourcePorter(renamedKeys: renamedKeys)
        var files: [File] = []
        var needsLegacyFoundation = false
        for (url, bytes) in texts {
            let ported = porter.port(bytes)
            needsLegacyFoundation = needsLegacyFoundation || ported.needsLegacyFoundation
            if writes, ported.bytes != bytes {
                try Data(ported.bytes).write(to: url, options: .atomic)
            }
            if !ported.findings.isEmpty {
                files.append(File(path: path(of: url), findings: ported.findings))
            }
        }
        return files + (needsLegacyFoundation ? manifestFinding() : [])
    }

    // MARK: Files

    private func fileURLs() throws -> [URL] {
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
        return urls.sorted { $0.path < $1.path }
    }

    private static let foreignDirectories: Set<String> = ["Pods", "Carthage", "DerivedData"]

    private static func isManifest(_ name: String) -> Bool {
        name == "Package.swift" || name.hasPrefix("Package@")
    }

    private func path(of url: URL) -> String {
        let base = root.standardizedFileURL.path + "/"
        let path = url.standardizedFileURL.path
        return path.hasPrefix(base) ? String(path.dropFirst(base.count)) : url.lastPathComponent
    }

    // MARK: Manifest

    /// Says so if the package's manifest does not name LegacyFoundation.
    private func manifestFinding() -> [File] {
        var directory = root.standardizedFileURL
        while directory.path != "/" {
            let url = directory.appendingPathComponent("Package.swift")
            if let data = try? Data(contentsOf: url) {
                if String(decoding: data, as: UTF8.self).contains("LegacyFoundation") { return [] }
                break
            }
            directory.deleteLastPathComponent()
        }
        let finding = PortFinding(
            kind: .left,
            line: 1,
            message: "add the product LegacyFoundation of package MergeStack to the targets, on "
                + "Linux; sources import it"
        )
        return [File(path: "Package.swift", findings: [finding])]
    }
}
