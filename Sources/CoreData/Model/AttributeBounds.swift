import Foundation

/// The limits of an attribute's values as a model file gives them; nil where there is none.
struct AttributeBounds: @unchecked Sendable {
    // @unchecked: a regular expression is immutable.

    // Numbers.
    var minimum: Decimal?
    var maximum: Decimal?
    // Dates, in seconds since the reference date.
    var earliest: Double?
    var latest: Double?
    // Strings, in UTF-16 units, as `NSString.length` counts.
    var minimumLength: Int?
    var maximumLength: Int?
    /// What a whole string must match.
    var pattern: Pattern?

    /// A regular expression that must match from the first to the last character, as `MATCHES`
    /// in a predicate does.
    struct Pattern {
        let source: String
        let expression: NSRegularExpression

        /// - Throws: Foundation's error if `source` is no regular expression.
        init(_ source: String) throws {
            self.source = source
            // Compiled alone first: an unbalanced parenthesis must not pair with one of ours.
            _ = try NSRegularExpression(pattern: source)
            expression = try NSRegularExpression(pattern: "\\A(?:\(source))\\z")
        }

        func matches(_ text: String) -> Bool {
            let range = NSRange(location: 0, length: text.utf16.count)
            return expression.firstMatch(in: text, range: range) != nil
        }
    }
}
