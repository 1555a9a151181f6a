import Foundation

/// The operators that look into strings, the same in memory and in SQL.
enum TextMatching {
    typealias Options = NSComparisonPredicate.Options

    static func holds(
        _ operation: NSComparisonPredicate.Operator,
        _ options: Options,
        _ left: QueryValue,
        _ right: QueryValue
    ) -> Bool {
        guard let text = QueryComparison.text(left), let pattern = QueryComparison.text(right)
        else {
            return false
        }
        if operation == .matches { return matches(text, pattern, options) }
        let folded = TextOrder.folded(text, options), part = TextOrder.folded(pattern, options)
        switch operation {
        // In bytes, as SQLite compares; `hasPrefix` would go by canonical equivalence.
        case .beginsWith: return folded.utf8.starts(with: part.utf8)
        case .endsWith: return folded.utf8.reversed().starts(with: part.utf8.reversed())
        case .contains: return contains(folded, part)
        case .like: return like(folded, part)
        default: return false
        }
    }

    /// Bytes in bytes; UTF-8 is such that a match begins at a scalar.
    static func contains(_ text: String, _ part: String) -> Bool {
        // By bytes, as `instr` in SQL: Swift's own search goes by canonical equivalence and would
        // find more.
        var text = text, part = part
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard part.count > 0, let needle = part.baseAddress else { return true }
                guard let haystack = text.baseAddress else { return false }
                var start = 0
                while start + part.count <= text.count {
                    let rest = text.count - start - part.count + 1
                    guard let found = memchr(haystack + start, Int32(part[0]), rest) else {
                        return false
                    }
                    if memcmp(found, needle, part.count) == 0 { return true }
                    start = UnsafeRawPointer(found) - UnsafeRawPointer(haystack) + 1
                }
                return false
            }
        }
    }

    /// `*` stands for any scalars, `?` for one; a backslash takes their meaning away.
    ///
    /// - Complexity: O(*n* · *m*) at worst: only the last `*` is ever tried again.
    static func like(_ text: String, _ pattern: String) -> Bool {
        let text = Array(text.unicodeScalars), pattern = tokens(pattern)
        var textIndex = 0, patternIndex = 0
        var starIndex = -1, retryIndex = 0
        while textIndex < text.count {
            if patternIndex < pattern.count {
                switch pattern[patternIndex] {
                case .star:
                    starIndex = patternIndex
                    retryIndex = textIndex
                    patternIndex += 1
                    continue
                case .one:
                    textIndex += 1
                    patternIndex += 1
                    continue
                case .scalar(let scalar) where scalar == text[textIndex]:
                    textIndex += 1
                    patternIndex += 1
                    continue
                default: break
                }
            }
            // Only the last star: whatever an earlier one took, the later one can make up for.
            guard starIndex >= 0 else { return false }
            retryIndex += 1
            textIndex = retryIndex
            patternIndex = starIndex + 1
        }
        return pattern[patternIndex...].allSatisfy { $0 == .star }
    }

    private enum LikeToken: Equatable {
        case star, one
        case scalar(Unicode.Scalar)
    }

    private static func tokens(_ pattern: String) -> [LikeToken] {
        var tokens: [LikeToken] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                tokens.append(.scalar(scalar))
                isEscaped = false
            } else {
                switch scalar {
                case "\\": isEscaped = true
                case "*": tokens.append(.star)
                case "?": tokens.append(.one)
                default: tokens.append(.scalar(scalar))
                }
            }
        }
        // At the end of the pattern there is nothing to escape: it stands for itself.
        if isEscaped { tokens.append(.scalar("\\")) }
        return tokens
    }

    // MARK: Regular expressions

    /// Whether the whole text matches; no text matches a malformed expression.
    static func matches(_ text: String, _ pattern: String, _ options: Options) -> Bool {
        guard case .success(let expression) = regularExpression(pattern, options) else {
            return false
        }
        let diacritic = options.contains(.diacriticInsensitive)
        let subject = diacritic ? TextOrder.folded(text, .diacriticInsensitive) : text
        let range = NSRange(location: 0, length: subject.utf16.count)
        return expression.firstMatch(in: subject, range: range) != nil
    }

    private struct CacheKey: Hashable {
        let pattern: String
        let options: UInt
    }
    private static let expressions = Locked<[CacheKey: Result<NSRegularExpression, any Error>]>([:])

    /// The compiled expression, from a cache; an error says why it is malformed.
    static func regularExpression(
        _ pattern: String,
        _ options: Options
    ) -> Result<NSRegularExpression, any Error> {
        let key = CacheKey(pattern: pattern, options: options.rawValue)
        if let known = expressions.withLock({ $0[key] }) { return known }
        let diacritic = options.contains(.diacriticInsensitive)
        let source = diacritic ? TextOrder.folded(pattern, .diacriticInsensitive) : pattern
        // Without the lock, for compiling takes its time; two threads may compile the same, which
        // does no harm.
        let result = Result {
            // The pattern is checked on its own first, lest it closes the parenthesis around it.
            if !source.isEmpty { _ = try NSRegularExpression(pattern: source) }
            return try NSRegularExpression(
                // In a group, so that the anchors hold for all alternatives.
                pattern: "\\A(?:\(source))\\z",
                options: options.contains(.caseInsensitive) ? [.caseInsensitive] : []
            )
        }
        expressions.withLock { expressions in
            // All at once: which of them are still in use is not known, and compiling is cheap
            // enough.
            if expressions.count >= 200 { expressions.removeAll() }
            expressions[key] = result
        }
        return result
    }
}
