import SwiftSource

/// Imports LegacyFoundation and its like, on Linux, into files that use their names.
enum LegacyImport {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        let imports = file.activeTokens.filter { source.isToken($0, "import") }
            .compactMap { ImportStatement(at: $0, in: source) }
        // Where Linux does not look at a branch, what it imports is not among these.
        let missing = file.neededModules.subtracting(file.importedModules)
            .subtracting(imports.map(\.module)).sorted()
        guard !missing.isEmpty, let last = imports.last(where: { $0.isAlone }) else { return }
        let newline = source.lineEnding
        let lines =
            ["", "#if !\(ObjectiveCAttributes.condition)"] + missing.map { "import \($0)" } + [
                "#endif"
            ]
        let end = lineEnd(of: last, in: source)
        file.insert(lines.joined(separator: newline), at: end)
        for module in missing {
            file.note(last.tokens.lowerBound, "import \(module) below it, for Linux")
        }
    }

    /// Behind the import, what is wrapped around it, and a comment in its line.
    private static func lineEnd(of statement: ImportStatement, in source: SwiftSource) -> Int {
        var index = statement.tokens.upperBound
        var depth = 0
        let start = source.tokens.indices.prefix(index)
        for token in start where source.tokens[token].kind == .directive {
            if source.isToken(token, "#if") { depth += 1 }
            if source.isToken(token, "#endif") { depth -= 1 }
        }
        // Within an `#if` Linux might not compile the new import, so it goes behind the `#endif`.
        while depth > 0, index + 1 < source.tokens.count {
            index += 1
            if source.isToken(index, "#if") { depth += 1 }
            if source.isToken(index, "#endif") { depth -= 1 }
        }
        let offset = source.tokens[index].range.upperBound
        let newline = source.bytes[offset...].firstIndex(of: UInt8(ascii: "\n"))
        guard let newline else { return source.bytes.count }
        // The inserted text begins with a line end: `\r\n` must not be split by it.
        return newline > offset && source.bytes[newline - 1] == UInt8(ascii: "\r")
            ? newline - 1 : newline
    }
}
