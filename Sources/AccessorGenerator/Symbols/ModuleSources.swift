import Foundation

/// The sources of one module, parsed as far as they are needed.
final class ModuleSources {
    let name: String
    private var unread: [(path: String, bytes: Data)]
    private(set) var files: [ParsedFile] = []
    /// Types and type aliases, by name.
    private(set) var declarations: [String: [Declaration]] = [:]

    /// - Throws: What reading the files throws.
    init(name: String, paths: [String]) throws {
        self.name = name
        unread = try paths.sorted().map { path in
            (path, try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe))
        }
    }

    /// Parses the files that have managed members.
    ///
    /// - Throws: ``GeneratorError``.
    func readManagedFiles() throws {
        try read { $0.range(of: Data("NSManaged".utf8)) != nil }
    }

    /// The types and type aliases of a name.
    ///
    /// - Throws: ``GeneratorError``.
    func lookUp(_ name: String) throws -> [Declaration] {
        let keywords = ["class", "struct", "enum", "protocol", "typealias", "actor"]
        let needles = keywords.map { Data("\($0) \(name)".utf8) }
        try read { bytes in needles.contains { bytes.range(of: $0) != nil } }
        return declarations[name] ?? []
    }

    private func read(where isWanted: (Data) -> Bool) throws {
        let wanted = unread.filter { isWanted($0.bytes) }
        guard !wanted.isEmpty else { return }
        let paths = Set(wanted.map(\.path))
        unread.removeAll { paths.contains($0.path) }
        for (path, bytes) in wanted {
            let file = try DeclarationParser.parse(path: path, bytes: [UInt8](bytes))
            files.append(file)
            for declaration in file.allDeclarations where declaration.kind != .extension {
                declarations[declaration.name, default: []].append(declaration)
            }
        }
    }
}
