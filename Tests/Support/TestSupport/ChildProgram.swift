import Foundation

/// A program that runs beside the tests to its end.
///
/// `popen` starts it and waits for it. Foundation's `Process` learns of an end through sockets that are
/// woken over the loopback interface, and waits for ever where that is down.
public enum ChildProgram {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The output of a program that is found as a shell finds it, with its errors if asked for.
    ///
    /// - Parameter succeeds: Whether another exit code than zero is an error.
    public static func output(
        _ arguments: [String],
        withErrors: Bool = false,
        succeeds: Bool = true
    ) throws -> String {
        let command = arguments.map(quoted).joined(separator: " ") + (withErrors ? " 2>&1" : "")
        guard let pipe = popen(command, mode) else {
            throw Failure(description: "\(command) could not be started: \(errno)")
        }
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        let isRead = ferror(pipe) == 0, status = pclose(pipe)
        guard isRead, status != -1, status == 0 || !succeeds else {
            throw Failure(description: "\(command) ended with the status \(status)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The lines of its output that are not empty.
    public static func lines(
        _ arguments: [String],
        withErrors: Bool = false,
        succeeds: Bool = true
    ) throws -> [String] {
        try output(arguments, withErrors: withErrors, succeeds: succeeds)
            .split(separator: "\n").map(String.init)
    }

    /// Children of other threads would keep the pipe open where they inherit it.
    #if canImport(Darwin)
    private static let mode = "r"
    #else
    private static let mode = "re"
    #endif

    private static func quoted(_ argument: String) -> String {
        "'" + argument.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
