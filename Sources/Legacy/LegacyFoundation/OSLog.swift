import Foundation

/// How much a message matters.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The number, as Apple gives it.
    public let rawValue: UInt8
    /// Makes a type of its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What may help to solve a problem.
    public static let `default` = OSLogType(rawValue: 0)
    /// What is helpful, but not needed; not written.
    public static let info = OSLogType(rawValue: 1)
    /// What helps while developing; not written.
    public static let debug = OSLogType(rawValue: 2)
    /// Errors.
    public static let error = OSLogType(rawValue: 16)
    /// Mistakes of the program.
    public static let fault = OSLogType(rawValue: 17)

    var isWritten: Bool { self != .debug && self != .info }
}

/// Where messages go: to standard error, with subsystem and category.
///
/// > Threading: Any thread.
public final class OSLog: NSObject, Sendable {
    /// Messages of no subsystem.
    public static let `default` = OSLog(isEnabled: true, subsystem: nil, category: nil)
    /// Messages that nobody reads.
    public static let disabled = OSLog(isEnabled: false, subsystem: nil, category: nil)

    private let isEnabled: Bool
    private let subsystem: String?
    private let category: String?

    private init(isEnabled: Bool, subsystem: String?, category: String?) {
        self.isEnabled = isEnabled
        self.subsystem = subsystem
        self.category = category
    }

    /// Makes a log of a part of a program.
    public convenience init(subsystem: String, category: String) {
        self.init(isEnabled: true, subsystem: subsystem, category: category)
    }

    /// Whether messages of a type are written.
    public func isEnabled(type: OSLogType) -> Bool { isEnabled && type.isWritten }

    func write(_ message: @autoclosure () -> String, type: OSLogType) {
        guard isEnabled(type: type) else { return }
        let source = [subsystem, category].compactMap(\.self).joined(separator: ":")
        let line = source.isEmpty ? message() : "[\(source)] \(message())"
        // In one piece with its line end, or lines of several threads would run into each other.
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}

/// Writes a message.
///
/// - Parameters:
///   - message: A format as `NSString` takes it, also with `%{public}@`.
///   - log: Where it goes.
///   - type: How much it matters.
///   - arguments: What the format asks for.
public func os_log(
    _ message: StaticString,
    log: OSLog = .default,
    type: OSLogType = .default,
    _ arguments: any CVarArg...
) {
    log.write(LogFormat.text("\(message)", arguments), type: type)
}

/// Writes a message.
///
/// - Parameters:
///   - type: How much it matters.
///   - log: Where it goes.
///   - message: A format as `NSString` takes it, also with `%{public}@`.
///   - arguments: What the format asks for.
public func os_log(
    _ type: OSLogType,
    log: OSLog = .default,
    _ message: StaticString,
    _ arguments: any CVarArg...
) {
    log.write(LogFormat.text("\(message)", arguments), type: type)
}

/// Formats of `os_log`.
enum LogFormat {
    /// The text of a format; annotations in braces are dropped.
    static func text(_ format: String, _ arguments: [any CVarArg]) -> String {
        var plain = ""
        var rest = format[...]
        // Marks such as `%{public}@` are Apple's own, and `String(format:)` knows none of them.
        while let start = rest.range(of: "%{") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { break }
            plain += rest[..<start.lowerBound] + "%"
            rest = rest[rest.index(after: end)...]
        }
        plain += rest
        // Without arguments nothing but the percent sign can be meant.
        return arguments.isEmpty
            ? plain.replacingOccurrences(of: "%%", with: "%")
            : String(format: plain, arguments: arguments)
    }
}
