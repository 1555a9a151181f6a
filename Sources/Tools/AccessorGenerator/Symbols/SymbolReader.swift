import Foundation

/// The symbols of a skeleton's accessors, by marker.
enum SymbolReader {
    /// Reads the compiler's intermediate language: a function begins with a line `sil … @symbol : …`,
    /// and its marker is a `string_literal` in it. Swift's `docs/SIL` describes the text.
    static func symbols(in code: String) -> [String: String] {
        var result: [String: String] = [:]
        var symbol: Substring?
        for line in code.split(separator: "\n") {
            if line.hasPrefix("sil ") {
                symbol = name(in: line)
            } else if let symbol, let range = line.range(of: "string_literal utf8 \"managed-") {
                let text = line[range.lowerBound...].dropFirst("string_literal utf8 \"".count)
                result[String(text.prefix { $0 != "\"" })] = String(symbol)
            }
        }
        return result
    }

    /// `$s…` in `sil hidden @$s… : $…`; a name with other characters stands in quotes.
    private static func name(in line: Substring) -> Substring? {
        guard let start = line.firstIndex(of: "@") else { return nil }
        let rest = line[line.index(after: start)...]
        if rest.hasPrefix("\"") { return rest.dropFirst().prefix { $0 != "\"" } }
        return rest.prefix { $0 != " " }
    }
}
