/// A word, sign or literal of Swift source, with its place.
package struct SwiftToken: Sendable, Equatable {
    /// What a token is.
    package enum Kind: Sendable, Equatable {
        /// A name or keyword; backticks belong to its range.
        case word
        /// `#if`, `#selector`, … with its sign.
        case directive
        /// A number literal.
        case number
        /// A string literal, or a part of one between interpolations, whose code comes as tokens of
        /// its own in parentheses.
        case string
        /// A regular-expression literal.
        case regex
        /// One of `( ) [ ] { } , ; : @ \`, a run of operator characters, or what has no meaning.
        case sign
    }

    /// What it is.
    package let kind: Kind
    /// Its bytes: offsets into the source's UTF-8.
    package let range: Range<Int>
    /// The line that it begins in, from 1.
    package let line: Int
    /// Whether nothing but blanks and comments stands before it in its line.
    package let isFirstInLine: Bool
}
