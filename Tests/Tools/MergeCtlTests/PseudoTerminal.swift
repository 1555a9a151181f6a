import Foundation

/// A program on a terminal of its own, as if somebody sat in front of it.
final class PseudoTerminal {
    struct Failure: Error {
        let message: String
    }

    /// What the program has shown so far, with what was typed.
    private(set) var shown = ""
    private let process = Process()
    private let master: Int32
    private var bytes: [UInt8] = []

    /// Starts a program.
    init(
        _ program: String,
        _ arguments: [String],
        in folder: URL,
        columns: Int = 200,
        environment: [String: String] = [:]
    ) throws {
        var ends: (here: Int32, there: Int32) = (-1, -1)
        var size = winsize(ws_row: 40, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&ends.here, &ends.there, nil, nil, &size) == 0 else {
            throw Failure(message: "There is no terminal to be had: \(errno)")
        }
        master = ends.here
        // The program would not see the terminal close while it holds this end itself.
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        let end = FileHandle(fileDescriptor: ends.there, closeOnDealloc: true)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TERM": "dumb"]) { $1 }.merging(environment) { $1 }
        process.standardInput = end
        process.standardOutput = end
        process.standardError = end
        try process.run()
        try end.close()
    }

    deinit {
        if process.isRunning { process.terminate() }
        close(master)
    }

    func type(_ text: String) throws {
        let data = Array(text.utf8)
        guard write(master, data, data.count) == data.count else {
            throw Failure(message: "Nothing can be typed: \(errno)")
        }
    }

    /// Reads until a text is shown that was not asked for before, or throws after a minute.
    func wait(for text: String) throws {
        let limit = Date(timeIntervalSinceNow: 60)
        while true {
            if let range = shown.range(of: text, range: seen..<shown.endIndex) {
                seen = range.upperBound
                return
            }
            guard limit.timeIntervalSinceNow > 0, readSome() else {
                throw Failure(message: "\"\(text)\" is not shown; this is: \(shown)")
            }
        }
    }

    /// Reads until the program has ended.
    ///
    /// - Returns: Its exit code.
    func finish() throws -> Int32 {
        let limit = Date(timeIntervalSinceNow: 60)
        while readSome() {
            guard limit.timeIntervalSinceNow > 0 else {
                throw Failure(message: "The program does not end; it has shown: \(shown)")
            }
        }
        process.waitUntilExit()
        return process.terminationStatus
    }

    private var seenCount = 0
    private var seen: String.Index {
        get { shown.utf8.index(shown.startIndex, offsetBy: seenCount) }
        set { seenCount = shown.utf8.distance(from: shown.startIndex, to: newValue) }
    }

    /// Reads what there is, or waits a second for it; false if the program has closed the terminal.
    private func readSome() -> Bool {
        var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 1_000) > 0 else { return true }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        bytes += buffer[..<count]
        shown = String(decoding: bytes, as: UTF8.self)
        return true
    }
}
