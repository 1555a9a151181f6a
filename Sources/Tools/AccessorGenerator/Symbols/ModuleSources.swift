import Foundation

/// The sources of one module, parsed as far as they are needed.
final class ModuleSources {
    let name: String
    private var unread: [UnreadFile]
    private(set) var files: [ParsedFile] = []
    /// Types and type aliases, by name.
    private(set) var declarations: [String: [Declaration]] = [:]

    /// - Throws: What reading the files throws.
    init(name: String, paths: [String]) throws {
        self.name = name
        // In a fixed order, or the skeleton would differ each time that a folder is listed in
        // another one.
        unread = try paths.sorted().map { path in
            UnreadFile(path: path, bytes: try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }

    /// Parses the files that have managed members.
    ///
    /// - Throws: ``GeneratorError``.
    func readManagedFiles() throws {
        try read { $0.bytes.range(of: Data("@NSManaged".utf8)) != nil }
    }

    /// The types and type aliases of a name.
    ///
    /// - Throws: ``GeneratorError``.
    func lookUp(_ name: String) throws -> [Declaration] {
        try read { $0.declaredNames.contains(name) }
        return declarations[name] ?? []
    }

    /// The types and type aliases of a name in files that can be parsed.
    func readableDeclarations(_ name: String) -> [Declaration] {
        readFiles { $0.declaredNames.contains(name) }
        return declarations[name] ?? []
    }

    /// Whether some file has the words, apart from longer ones that hold them. Files that have been
    /// parsed don't count.
    func mentions(_ words: String) -> Bool { unread.contains { $0.mentions(words) } }

    /// Whether some file may declare a type of the name. Files that have been parsed don't count.
    func declares(_ name: String) -> Bool { unread.contains { $0.declaredNames.contains(name) } }

    /// Parses the files that are wanted; leaves out those that can't be parsed.
    func readFiles(where isWanted: (UnreadFile) -> Bool) {
        // To ask may parse other files, so that one of these is not there any more when its turn
        // comes. What can't be parsed is left to the compiler to say.
        for file in unread where isWanted(file) {
            try? read { $0 === file }
        }
    }

    private func read(where isWanted: (UnreadFile) -> Bool) throws {
        let wanted = unread.filter(isWanted)
        guard !wanted.isEmpty else { return }
        // First, so that a file that can't be parsed is not tried again and again.
        unread.removeAll { file in wanted.contains { $0 === file } }
        for source in wanted {
            let file = try DeclarationParser.parse(
                path: source.path,
                bytes: [UInt8](source.bytes)
            )
            files.append(file)
            for declaration in file.allDeclarations where declaration.kind != .extension {
                declarations[declaration.name, default: []].append(declaration)
            }
        }
    }
}
