import Foundation

/// Standard output and standard error.
enum Terminal {
    /// Whether people look at standard output, so that a line may be drawn over.
    static let isInteractive = isatty(STDOUT_FILENO) == 1

    /// How many columns the terminal has, as far as the shell says.
    static var columnCount: Int {
        ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init) ?? 80
    }

    static func print(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    static func printError(_ text: String) {
        write(text + "\n", to: .standardError)
    }

    static func write(_ text: String, to handle: FileHandle = .standardOutput) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            // The reader of a pipe has gone, as in `mergectl fetch … | head`: nobody to tell.
            exit(1)
        }
    }
}
