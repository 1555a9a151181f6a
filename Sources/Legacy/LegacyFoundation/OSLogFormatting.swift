import Foundation

/// How a message writes a floating-point number.
public struct OSLogFloatFormatting: Sendable {
    private let conversion: Character
    private let precision: Int?
    private let explicitPositiveSign: Bool

    private init(_ conversion: Character, _ precision: Int?, _ explicitPositiveSign: Bool) {
        self.conversion = conversion
        self.precision = precision
        self.explicitPositiveSign = explicitPositiveSign
    }

    /// With six digits behind the point.
    public static let fixed = OSLogFloatFormatting("f", nil, false)
    /// With an exponent.
    public static let exponential = OSLogFloatFormatting("e", nil, false)
    /// As is shorter.
    public static let hybrid = OSLogFloatFormatting("g", nil, false)
    /// In base 16.
    public static let hex = OSLogFloatFormatting("a", nil, false)

    /// With a number of digits behind the point.
    public static func fixed(
        precision: @autoclosure () -> Int = 6,
        explicitPositiveSign: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("f", precision(), explicitPositiveSign)
    }

    /// With an exponent, and a number of digits behind the point.
    public static func exponential(
        precision: @autoclosure () -> Int = 6,
        explicitPositiveSign: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("e", precision(), explicitPositiveSign)
    }

    /// As is shorter, with a number of digits.
    public static func hybrid(
        precision: @autoclosure () -> Int = 6,
        explicitPositiveSign: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("g", precision(), explicitPositiveSign)
    }

    func text(_ value: Double) -> String {
        let digits = precision.map { ".\(max($0, 0))" } ?? ""
        return String(format: "%\(explicitPositiveSign ? "+" : "")\(digits)\(conversion)", value)
    }
}

/// How a message writes a whole number.
public struct OSLogIntegerFormatting: Sendable {
    private let radix: Int
    private let minDigits: Int
    private let prefix: String
    private let explicitPositiveSign: Bool
    private let uppercase: Bool

    private init(
        _ radix: Int,
        _ minDigits: Int = 0,
        prefix: String = "",
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) {
        self.radix = radix
        self.minDigits = minDigits
        self.prefix = prefix
        self.explicitPositiveSign = explicitPositiveSign
        self.uppercase = uppercase
    }

    /// In base 10.
    public static let decimal = OSLogIntegerFormatting(10)
    /// In base 16.
    public static let hex = OSLogIntegerFormatting(16)
    /// In base 8.
    public static let octal = OSLogIntegerFormatting(8)

    /// In base 10, with leading zeros.
    public static func decimal(
        explicitPositiveSign: Bool = false,
        minDigits: @autoclosure () -> Int = 0
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(10, minDigits(), explicitPositiveSign: explicitPositiveSign)
    }

    /// In base 16, with leading zeros.
    public static func hex(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false,
        minDigits: @autoclosure () -> Int = 0
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            16,
            minDigits(),
            prefix: includePrefix ? "0x" : "",
            explicitPositiveSign: explicitPositiveSign,
            uppercase: uppercase
        )
    }

    func text<Value: FixedWidthInteger>(_ value: Value) -> String {
        // The smallest number of a type has no counterpart with the other sign in that type.
        let digits = String(value.magnitude, radix: radix, uppercase: uppercase)
        let zeros = String(repeating: "0", count: max(minDigits - digits.count, 0))
        let sign = value < 0 ? "-" : explicitPositiveSign ? "+" : ""
        return sign + prefix + zeros + digits
    }
}

/// How a message writes a Boolean.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `yes` or `no`.
    case answer

    func text(_ value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "yes" : "no"
        }
    }
}

/// How a message makes a value as wide as others.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isLeft: Bool

    /// As wide as it is.
    public static let none = OSLogStringAlignment(columns: 0, isLeft: true)
    /// Blanks in front, up to a width.
    public static func right(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isLeft: false)
    }
    /// Blanks behind, up to a width.
    public static func left(columns: @autoclosure () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns(), isLeft: true)
    }

    func text(_ text: String) -> String {
        let blanks = String(repeating: " ", count: max(columns - text.count, 0))
        return isLeft ? text + blanks : blanks + text
    }
}
