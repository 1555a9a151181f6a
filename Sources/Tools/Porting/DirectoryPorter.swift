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
        /// The path below the directory, or the file's name; empty for what is about no file.
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
    /// - Throws: `PortingError` if there is no such directory or file, or a directory may not be read;
    ///   what Foundation throws if a file can't be read or written.
    package func run(writes: Bool) throws -> [File] {
        // A file that two roots hold is ported once; the order makes the report the same in each
        // run.
        let urls = Set(try roots.flatMap(fileURLs)).sorted { $0.path < $1.path }
        let texts = try urls.map { [UInt8](try Data(contentsOf: $0)) }
        // All are read and ported before the first is written: what one declares changes others,
        // and one that can't be read leaves all as they are.
        let sources = ported(texts)
        let hidden = HiddenNames(sources.map(\.names))
        var files: [File] = []
        for (index, source) in sources.enumerated() {
            if writes, source.bytes != texts[index] {
                try Data(source.bytes).write(to: urls[index], options: .atomic)
            }
            let unknown = hidden.findings(in: source.names) { path(of: urls[$0]) }
            let findings = (source.findings + unknown).sorted { $0.line < $1.line }
            if !findings.isEmpty {
                files.append(File(path: path(of: urls[index]), findings: findings))
            }
        }
        return files + manifestFindings(sources.reduce(into: []) { $0.formUnion($1.neededModules) })
    }

    /// The sources, rewritten with what others of them declare in mind.
    private func ported(_ texts: [[UInt8]]) -> [PortedSource] {
        var renamedKeys: [String: String] = [:]
        var classNames: [String: String] = [:]
        var optionalMethods: Set<String> = []
        for text in texts {
            let source = SwiftSource(text)
            renamedKeys.merge(SourcePorter.renamedKeys(in: source)) { first, _ in first }
            classNames.merge(SourcePorter.classNames(in: source)) { first, _ in first }
            optionalMethods.formUnion(SourcePorter.optionalMethods(in: source))
        }
        var goneTypes: [String: String] = [:]
        while true {
            // The types only become more and all stand in the sources, so this ends.
            let porter = SourcePorter(
                renamedKeys: renamedKeys,
                optionalMethods: optionalMethods,
                goneTypes: goneTypes,
                classNames: classNames
            )
            let sources = texts.map(porter.port)
            let count = goneTypes.count
            for source in sources { goneTypes.merge(source.goneTypes) { first, _ in first } }
            // A type that goes takes along what inherits from it, in other files too.
            if goneTypes.count == count { return sources }
        }
    }

    // MARK: Files

    private func fileURLs(of root: URL) throws -> [URL] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isDirectory) else {
            throw PortingError.missing(path: root.path)
        }
        guard isDirectory.boolValue else { return [root] }
        let keys: [URLResourceKey] = [.isRegularFileKey]
        var closed: URL?
        let walk = FileManager.default.enumerator(
            at: root,
            includingPropertiesForKeys: keys,
            options: [.skipsHiddenFiles]
        ) { url, _ in
            closed = url
            return false
        }
        var urls: [URL] = []
        while let url = walk?.nextObject() as? URL {
            let name = url.lastPathComponent
            // The code of dependencies is not the caller's to change, and builds overwrite
            // DerivedData.
            if Self.foreignDirectories.contains(name) { walk?.skipDescendants() }
            guard url.pathExtension == "swift", !Self.isManifest(name),
                // False for a link, whose file may lie outside of the roots or be visited by
                // itself.
                try url.resourceValues(forKeys: Set(keys)).isRegularFile == true
            else { continue }
            urls.append(url)
        }
        // Or its files would be left as they are without a word.
        if let closed { throw PortingError.notReadable(path: closed.path) }
        return urls
    }

    private static let foreignDirectories: Set<String> = ["Pods", "Carthage", "DerivedData"]

    private static func isManifest(_ name: String) -> Bool {
        // Manifests are compiled for the package manager, which gives them no product to import.
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
        let manifest = manifest()
        // A manifest is a program: it is not run here, only searched for the names.
        let missing = modules.subtracting(FoundationModules.all)
            .filter { manifest?.text.contains($0) != true }.sorted()
        guard !missing.isEmpty else { return [] }
        let findings = missing.map { module in
            PortFinding(
                kind: .left,
                line: manifest?.line ?? 1,
                message: "add the product \(module) of package MergeStack to the targets, on "
                    + "Linux; sources import it"
            )
        }
        return [File(path: manifest?.path ?? "", findings: findings)]
    }

    /// The package's manifest; nil if the sources are in no package.
    private func manifest() -> (path: String, text: String, line: Int)? {
        guard var directory = roots.first?.standardizedFileURL else { return nil }
        while directory.path != "/" {
            let url = directory.appendingPathComponent("Package.swift")
            if let data = try? Data(contentsOf: url) {
                let text = String(decoding: data, as: UTF8.self)
                // Where targets are listed, or at the top.
                let before = text.range(of: "targets:").map { text[..<$0.lowerBound] }
                let line = before.map { $0.count { $0.isNewline } + 1 } ?? 1
                return (path(of: url), text, line)
            }
            directory.deleteLastPathComponent()
        }
        return nil
    }
}
