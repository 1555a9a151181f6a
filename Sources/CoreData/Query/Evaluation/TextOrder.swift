import Foundation

/// Comparison and folding of strings, the same in memory and in SQL.
enum TextOrder {
    typealias Options = NSComparisonPredicate.Options

    /// Whether options ask for folding; `[n]` says that bytes are to be compared.
    @inline(__always) static func needsFolding(_ options: Options) -> Bool {
        options.rawValue & 3 != 0 && !options.contains(.normalized)
    }

    static func isEqual(_ left: String, _ right: String, _ options: Options) -> Bool {
        guard needsFolding(options) else { return bytesAreEqual(left, right) }
        return bytesAreEqual(folded(left, options), folded(right, options))
    }

    static func order(_ left: String, _ right: String, _ options: Options) -> Int {
        guard needsFolding(options) else { return byteOrder(left, right) }
        return byteOrder(folded(left, options), folded(right, options))
    }

    /// `==` of strings is by canonical equivalence, which SQLite's is not.
    @inline(__always) static func bytesAreEqual(_ left: String, _ right: String) -> Bool {
        let left = left.utf8, right = right.utf8
        guard left.count == right.count else { return false }
        return left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                guard let a = left.baseAddress, let b = right.baseAddress else { return true }
                return memcmp(a, b, left.count) == 0
            } ?? left.elementsEqual(right)
        } ?? left.elementsEqual(right)
    }

    static func byteOrder(_ left: String, _ right: String) -> Int {
        var left = left, right = right
        return left.withUTF8 { left in
            right.withUTF8 { right in
                // UTF-8 orders as the scalars do that it encodes, and SQLite's `BINARY` compares
                // the same bytes.
                let count = min(left.count, right.count)
                if count > 0, let a = left.baseAddress, let b = right.baseAddress {
                    let order = memcmp(a, b, count)
                    if order != 0 { return Int(order) }
                }
                return left.count - right.count
            }
        }
    }

    /// The text without differences of case (`[c]`) or of diacritics (`[d]`), as Foundation folds.
    static func folded(_ text: String, _ options: Options) -> String {
        guard needsFolding(options) else { return text }
        // Most texts: ASCII has no diacritics, and folding it needs no tables.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? text.lowercased() : text
        }
        var folding: String.CompareOptions = []
        if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        return text.folding(options: folding, locale: nil)
    }

    /// How a sort descriptor orders two strings.
    static func order(_ left: String, _ right: String, by name: SortOrderName) -> Int {
        switch name {
        case .binary: byteOrder(left, right)
        case .caseInsensitive:
            byteOrder(folded(left, .caseInsensitive), folded(right, .caseInsensitive))
        case .localized: left.localizedCompare(right).rawValue
        case .localizedCaseInsensitive: left.localizedCaseInsensitiveCompare(right).rawValue
        case .localizedStandard: left.localizedStandardCompare(right).rawValue
        }
    }
}
