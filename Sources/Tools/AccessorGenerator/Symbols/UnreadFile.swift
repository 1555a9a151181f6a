import Foundation
import SwiftSource

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

    /// The words of the types that are extended, and of those that stand first after a class's
    /// colon; more than that, never less.
    lazy var relatedNames: Set<String> = Self.relatedNames(in: bytes)

    /// Whether the file has the words, apart from longer ones that hold them.
    func mentions(_ words: String) -> Bool {
        let words = Data(words.utf8)
        var start = bytes.startIndex
        while let found = bytes[start...].range(of: words) {
            let isWhole =
                (found.lowerBound == bytes.startIndex || !bytes[found.lowerBound - 1].isWordPart)
                && (found.upperBound == bytes.endIndex || !bytes[found.upperBound].isWordPart)
            if isWhole { return true }
            start = found.upperBound
        }
        return false
    }

    private static func declaredNames(in bytes: Data) -> Set<String> {
        let keywords: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "actor"]
        var names: Set<String> = []
        var isAfterKeyword = false
        // Comments and literals count, too: to tell them apart would cost what this saves, and a
        // name too many only has a file parsed in vain.
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                let start = place
                while place < bytes.count, bytes[place].isWordPart { place += 1 }
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

    private static func relatedNames(in bytes: Data) -> Set<String> {
        enum Expected { case nothing, className, superclass, path }
        var names: Set<String> = []
        var expected = Expected.nothing
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                let start = place
                while place < bytes.count, bytes[place].isWordPart { place += 1 }
                guard place > start else {
                    switch (bytes[place], expected) {
                    case (UInt8(ascii: ":"), .superclass): expected = .path
                    case (UInt8(ascii: "{"), _), (UInt8(ascii: ","), _): expected = .nothing
                    default: break
                    }
                    place += 1
                    continue
                }
                // Words before it may be those of a comment, or of a generic class's parameters.
                let word = String(decoding: bytes[start..<place], as: UTF8.self)
                switch (word, expected) {
                case ("extension", _): expected = .path
                case ("class", _): expected = .className
                case (_, .className): expected = .superclass
                case (_, .path): names.insert(word)
                default: break
                }
            }
        }
        return names
    }
}
