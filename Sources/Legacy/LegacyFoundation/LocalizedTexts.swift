import Foundation

extension String {
    /// A text with values in it, whose key is the text with placeholders.
    public struct LocalizationValue: ExpressibleByStringInterpolation, Equatable, Sendable {
        let key: String
        let arguments: [String]

        /// Makes a text without values.
        public init(_ value: String) { self.init(stringLiteral: value) }

        /// Makes a text without values.
        public init(stringLiteral value: String) {
            // The key is a format: a percent sign of the text must not be read as a placeholder.
            key = value.replacingOccurrences(of: "%", with: "%%")
            arguments = []
        }

        /// Makes a text of its parts.
        public init(stringInterpolation: StringInterpolation) {
            key = stringInterpolation.key
            arguments = stringInterpolation.arguments
        }

        /// The parts of a text.
        public struct StringInterpolation: StringInterpolationProtocol, Sendable {
            private(set) var key = ""
            private(set) var arguments: [String] = []

            /// Makes room for the parts.
            public init(literalCapacity: Int, interpolationCount: Int) {
                key.reserveCapacity(literalCapacity)
            }

            /// Adds what stands between values.
            public mutating func appendLiteral(_ literal: String) {
                key += literal.replacingOccurrences(of: "%", with: "%%")
            }

            /// Adds a whole number.
            public mutating func appendInterpolation<Value: FixedWidthInteger>(_ value: Value) {
                // The placeholders are those that Xcode writes into string files, or no key would
                // be found there.
                append("%lld", "\(value)")
            }

            /// Adds a number.
            public mutating func appendInterpolation(_ value: Double) {
                // As the placeholder says, with six digits; a description would have as many as
                // needed.
                append("%lf", String(format: "%f", value))
            }

            /// Adds a value by its description.
            public mutating func appendInterpolation<Value>(_ value: Value) {
                append("%@", "\(value)")
            }

            private mutating func append(_ placeholder: String, _ text: String) {
                key += placeholder
                arguments.append(text)
            }
        }
    }

    /// The text that a bundle has for a key; the key itself, with its values, if it has none.
    ///
    /// Source catalogs (`.xcstrings`) are compiled by Xcode only: on Linux ship `.strings` files.
    ///
    /// - Parameters:
    ///   - keyAndValue: The text in the language of development.
    ///   - table: The name of the file; `Localizable` if nil.
    ///   - bundle: Where texts are looked for; the program's if nil.
    ///   - locale: Has no effect: the bundle's language counts.
    ///   - comment: For translators.
    public init(
        localized keyAndValue: LocalizationValue,
        table: String? = nil,
        bundle: Bundle? = nil,
        locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        let key = keyAndValue.key
        self = Self.localized(key, default: key, keyAndValue.arguments, table, bundle)
    }

    /// The text that a bundle has for a key; a default if it has none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - defaultValue: The text in the language of development.
    ///   - table: The name of the file; `Localizable` if nil.
    ///   - bundle: Where texts are looked for; the program's if nil.
    ///   - locale: Has no effect: the bundle's language counts.
    ///   - comment: For translators.
    public init(
        localized key: StaticString,
        defaultValue: LocalizationValue,
        table: String? = nil,
        bundle: Bundle? = nil,
        locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        self = Self.localized(
            "\(key)",
            default: defaultValue.key,
            defaultValue.arguments,
            table,
            bundle
        )
    }

    private static func localized(
        _ key: String,
        default defaultFormat: String,
        _ arguments: [String],
        _ table: String?,
        _ bundle: Bundle?
    ) -> String {
        let format = (bundle ?? .main).localizedString(
            forKey: key,
            value: defaultFormat,
            table: table
        )
        return LocalizedFormat.text(format, arguments)
    }
}

/// Formats of localized texts, whose placeholders may be numbered.
enum LocalizedFormat {
    /// Puts texts in the places of `%@`, `%lld`, `%2$@` and their like.
    static func text(_ format: String, _ arguments: [String]) -> String {
        var result = ""
        var next = 0
        var rest = format[...]
        while let sign = rest.firstIndex(of: "%") {
            result += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { $0.isNumber }
            var index = next
            // A translation may have the values in another order, as in `%2$@`.
            if let number = Int(digits), rest.dropFirst(digits.count).first == "$" {
                index = number - 1
                rest = rest.dropFirst(digits.count + 1)
            } else {
                next += 1
            }
            let kind = rest.prefix { "0123456789.lqhz".contains($0) }
            // The letter behind says how to write a value, but the values are texts already.
            rest = rest.dropFirst(kind.count + 1)
            // A translation with a placeholder too many must not end the program.
            result += arguments.indices.contains(index) ? arguments[index] : ""
        }
        return result + rest
    }
}
