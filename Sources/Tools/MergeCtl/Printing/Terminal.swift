import Foundation

/// Standard output and standard error.
enum Terminal {
    /// Whether people look at standard output, so that a line may be drawn over.
    static let isInteractive = isatty(STDOUT_FILENO) == 1

    /// How many columns the terminal has: it may be made wider meanwhile.
    static var columnCount: Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init) ?? 80
    }

    /// Whether somebody sits there who can be asked.
    static var canAsk: Bool { isInteractive && isatty(STDIN_FILENO) == 1 }

    /// Asks, and waits for an answer; anything but "y" and "yes" is no.
    static func asks(_ question: String) -> Bool {
        write("\(question) [y/N] ")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
        return answer == "y" || answer == "yes"
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
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            // The reader of a pipe has gone, as in `mergectl fetch … | head`: nobody to tell.
            if cause?.code != Int(EPIPE), handle.fileDescriptor != STDERR_FILENO {
                let why = error.isFullDisk ? "its disk is full." : FileFailure.sentence(error)
                printError(
                    "mergectl: The output can't be written: \(why) See to that, and try again."
                )
            }
            exit(1)
        }
    }
}
