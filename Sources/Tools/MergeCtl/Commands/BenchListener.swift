#if PostgreSQL
import Foundation
import MergeBench

/// This tool, started anew to follow a server.
final class BenchListener: ListenerProcess {
    private let process: Process
    private let output = Pipe()
    private var rest = Data()

    init(_ specification: ServerListener.Specification) throws {
        let question = String(decoding: try JSONEncoder().encode(specification), as: UTF8.self)
        process = BenchProcess.process(["--listener", question])
        process.standardOutput = output
        try process.run()
    }

    func nextLine() throws -> String {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw CommandError("The listener has ended.") }
            rest += more
        }
    }

    func end() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
#endif
