import SwiftSource

/// Imports Core Data into files that use it, and imports all of it.
///
/// On Apple's platforms a file sees Objective-C's classes that other files of its module import, and
/// submodules of frameworks can be imported. Both forms are right there, too.
enum CoreDataImports {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        let imports = source.tokens.indices.filter { source.isToken($0, "import") }
            .compactMap { ImportStatement(at: $0, in: source) }
        for statement in imports
        where statement.module == "CoreData" && file.isActive(statement.tokens.lowerBound) {
            rewriteSubmodule(statement, in: &file)
        }
        guard !imports.contains(where: { importers.contains($0.module) }),
            let use = file.activeTokens.first(where: { isName($0, in: source) })
        else { return }
        add(before: use, behind: imports, in: &file)
    }

    /// Modules that bring Core Data with them.
    private static let importers: Set<String> = ["CoreData", "SwiftData", "MergeStack"]

    /// `import CoreData.NSManagedObject` is `import CoreData`, unless a kind says that it is of one
    /// declaration.
    private static func rewriteSubmodule(
        _ statement: ImportStatement,
        in file: inout PortingFile
    ) {
        let source = file.source
        guard
            let name = statement.tokens.first(where: { source.isToken($0, "CoreData") }),
            source.isToken(name - 1, "import"), name < statement.tokens.upperBound
        else { return }
        file.replace(tokens: name...statement.tokens.upperBound, with: "CoreData")
        let text = source.text(file.byteRange(statement.tokens))
        file.note(statement.tokens.lowerBound, "\(text): import CoreData")
    }

    private static func isName(_ index: Int, in source: SwiftSource) -> Bool {
        // The standard library's own is nil on Linux.
        if source.isToken(index, "_kvcKeyPathString") { return true }
        guard let word = source.word(index),
            !source.isToken(index - 1, ".") || source.isToken(index - 2, "Foundation"),
            names.contains(word) || prefixes.contains(where: word.hasPrefix)
                || isCall(of: word, at: index, in: source)
        else { return false }
        return !["class", "struct", "enum", "typealias", "protocol"].contains(
            source.word(index - 1) ?? ""
        )
    }

    /// Initializers that Foundation has on Apple's platforms, and module `CoreData` on Linux.
    private static func isCall(of word: String, at index: Int, in source: SwiftSource) -> Bool {
        guard source.isToken(index + 1, "(") else { return false }
        return switch word {
        case "NSPredicate": source.isToken(index + 2, "format")
        case "NSSortDescriptor": source.isToken(index + 2, "key")
        default: false
        }
    }

    private static let names: Set<String> = [
        "NSEntityDescription", "NSAttributeDescription", "NSRelationshipDescription",
        // Foundation's on Apple's platforms.
        "NSComparisonPredicate", "NSExpression", "NSKeyValueObservation", "NSValueTransformerName",
        "UndoManager",
        "ValueTransformer",
    ]

    private static let prefixes = [
        "NSManagedObject", "NSPersistentStore", "NSPersistentContainer", "NSFetchRequest",
        "NSFetchedResultsController", "NSBatchDelete", "NSBatchInsert", "NSBatchUpdate",
        "NSMergePolicy", "NSMappingModel", "NSEntityMigrationPolicy", "NSPersistentHistory",
    ]

    private static func add(
        before use: Int,
        behind imports: [ImportStatement],
        in file: inout PortingFile
    ) {
        let newline = file.source.lineEnding
        // Beside an import that Linux does not compile, the new one would not be compiled either.
        let first = imports.first { $0.isAlone && file.isActive($0.tokens.lowerBound) }
        if let first, first.tokens.lowerBound < use {
            let start = file.source.tokens[first.tokens.lowerBound]
            let offset = file.source.lineStart(of: start.range.lowerBound)
            file.insert(
                file.source.indentation(of: start) + "import CoreData" + newline,
                at: offset
            )
        } else {
            file.insert("import CoreData" + newline + newline, at: firstLine(in: file.source))
        }
        file.note(use, "a name of Core Data in a file without it: import CoreData")
    }

    /// Where the first declaration begins, with the comments right above it.
    private static func firstLine(in source: SwiftSource) -> Int {
        var start = source.tokens[0].range.lowerBound
        for comment in source.comments(before: 0).reversed() {
            // A comment right above the declaration is its own; a file's header has a blank line
            // below it.
            let newlines = source.bytes[comment.upperBound..<start]
                .count { $0 == UInt8(ascii: "\n") }
            if newlines > 1 { break }
            start = comment.lowerBound
        }
        return source.lineStart(of: start)
    }
}
