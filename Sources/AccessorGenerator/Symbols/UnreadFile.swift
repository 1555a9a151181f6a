import Foundation

/// A source file that may not have to be parsed.
final class UnreadFile {
    let path: String
    let bytes: Data
    /// The words that follow a keyword that declares a type; more than are declared, never less.
    lazy var declaredNames: Set<String> = Self.declaredNames(in: bytes)

    init(path: String, bytes: Data) {
        self.path = path
        self.bytes = bytes
    }

    private static func declaredNames(in bytes: Data) -> Set<String> {
        let keywords: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "actor"]
        var names: Set<String> = []
        var isAfterKeyword = false
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                let start = place
                while place < bytes.count, Lexer.isWord(bytes[place]) { place += 1 }
                if place == start {
                    place += 1
                    continue
                }
                // No keyword is longer; names count only after one.
                guard isAfterKeyword || place - start < 10 else { continue }
                let word = String(decoding: bytes[start..<place], as: UTF8.self)
                if isAfterKeyword { names.insert(word) }
                isAfterKeyword = keywords.contains(word)
            }
        }
        return names
    }
}
