/// A literal or comment that does not end.
package struct SwiftUnfinished: Sendable, Equatable {
    /// What does not end; the raw value is its name in messages.
    package enum Kind: String, Sendable {
        case comment
        case string
        case interpolation = "string interpolation"
        case regex = "regular expression"
    }

    /// What does not end.
    package let kind: Kind
    /// Where it begins: an offset into the source's UTF-8.
    package let offset: Int
    /// The line that it begins in, from 1.
    package let line: Int
}
