/// Writes messages to standard error; informational and debugging ones are not written.
///
/// > Threading: A value; any thread.
public struct Logger: Sendable {
    private let log: OSLog

    /// Makes a logger of no subsystem.
    public init() { log = .default }
    /// Makes a logger for a part of a program.
    public init(subsystem: String, category: String) {
        log = OSLog(subsystem: subsystem, category: category)
    }
    /// Makes a logger that writes to a log.
    public init(_ log: OSLog) { self.log = log }

    /// Writes a message.
    public func log(_ message: OSLogMessage) { log.write(message.text, type: .default) }
    /// Writes a message of a type.
    public func log(level: OSLogType, _ message: OSLogMessage) {
        log.write(message.text, type: level)
    }
    /// Writes what helps to follow the program closely.
    public func trace(_ message: OSLogMessage) { log.write(message.text, type: .debug) }
    /// Writes what helps while developing.
    public func debug(_ message: OSLogMessage) { log.write(message.text, type: .debug) }
    /// Writes what is helpful.
    public func info(_ message: OSLogMessage) { log.write(message.text, type: .info) }
    /// Writes what may help to solve a problem.
    public func notice(_ message: OSLogMessage) { log.write(message.text, type: .default) }
    /// Writes a warning.
    public func warning(_ message: OSLogMessage) { log.write(message.text, type: .error) }
    /// Writes an error.
    public func error(_ message: OSLogMessage) { log.write(message.text, type: .error) }
    /// Writes a severe error.
    public func critical(_ message: OSLogMessage) { log.write(message.text, type: .fault) }
    /// Writes a mistake of the program.
    public func fault(_ message: OSLogMessage) { log.write(message.text, type: .fault) }
}

/// A message with values in it.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    /// Makes a message without values.
    public init(stringLiteral value: String) { text = value }
    /// Makes a message of its parts.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// Who may read a value in a message.
public struct OSLogPrivacy: Sendable {
    /// How values are made unreadable.
    public enum Mask: Sendable {
        /// A hash in their place.
        case hash
        /// Nothing in their place.
        case none
    }

    let isPublic: Bool
    /// Everybody, as long as no one says otherwise; unlike on Apple's platforms also for texts.
    public static let auto = OSLogPrivacy(isPublic: true)
    /// Everybody.
    public static let `public` = OSLogPrivacy(isPublic: true)
    /// Nobody: `<private>` is written.
    public static let `private` = OSLogPrivacy(isPublic: false)
    /// Nobody: `<private>` is written.
    public static let sensitive = OSLogPrivacy(isPublic: false)
    /// Nobody: `<private>` is written, whatever the mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
    /// Everybody; the mask is for private values.
    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
}

/// The parts of a message.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var text = ""

    /// Makes room for the parts.
    public init(literalCapacity: Int, interpolationCount: Int) {
        text.reserveCapacity(literalCapacity)
    }
    /// Adds what stands between values.
    public mutating func appendLiteral(_ literal: String) { text += literal }
    /// Adds a value.
    public mutating func appendInterpolation<T>(
        _ value: @autoclosure () -> T,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append("\(value())", align, privacy)
    }
    /// Adds a floating-point number in a format.
    public mutating func appendInterpolation<T: BinaryFloatingPoint>(
        _ number: @autoclosure () -> T,
        format: OSLogFloatFormatting,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(Double(number())), align, privacy)
    }
    /// Adds a whole number in a format.
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ number: @autoclosure () -> T,
        format: OSLogIntegerFormatting,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(number()), align, privacy)
    }
    /// Adds a Boolean in a format.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure () -> Bool,
        format: OSLogBoolFormat,
        privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(boolean()), .none, privacy)
    }

    private mutating func append(
        _ value: @autoclosure () -> String,
        _ align: OSLogStringAlignment,
        _ privacy: OSLogPrivacy
    ) {
        // What is private is not even made a text, which may be costly.
        text += align.text(privacy.isPublic ? value() : "<private>")
    }
}
