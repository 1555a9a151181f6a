import Foundation

/// A build of this program, which runs points and parts of them.
enum TortureProgram {
    /// The one that runs.
    case this
    /// The one under ThreadSanitizer, which leaves the functions for files alone.
    case underThreadSanitizer

    /// Where it is.
    private var url: URL {
        get throws {
            let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            guard self == .underThreadSanitizer else { return own }
            // Of <checkout>/.build-release/…/torture, or one that is under it already.
            let parts = own.path.components(separatedBy: "/.build")
            let other = URL(fileURLWithPath: "\(parts[0])/.build-tsan/debug/torture")
            guard FileManager.default.isExecutableFile(atPath: other.path) else {
                throw UsageError(
                    text: "\(other.path) is missing: make torture-build builds it"
                )
            }
            return other
        }
    }

    /// A process of this program that has not been started.
    func process(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = try url
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        // A crash is a result here, and its trace would take seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        // The first report ends the process, so that it is the point's.
        environment["TSAN_OPTIONS"] = "halt_on_error=1"
        process.environment = environment
        return process
    }
}

extension Process {
    /// How a process ended that should not have, with what it has said last.
    func howItEnded(saying output: Data) -> String {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        // A sanitizer says in one line of many what it has found.
        let line = lines.last { $0.hasPrefix("SUMMARY: ") } ?? lines.last
        let how =
            terminationReason == .exit
            ? "the program exits with \(terminationStatus)"
            : "the program stops with signal \(terminationStatus)"
        return how + (line.map { ": \($0.prefix(300))" } ?? "")
    }
}
