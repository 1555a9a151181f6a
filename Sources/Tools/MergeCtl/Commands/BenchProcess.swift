import Foundation
import MergeBench

/// A measurement in a process of its own, so that its peak memory is its own.
enum BenchProcess {
    /// Starts this tool anew for one measurement.
    static func measure(_ specification: RunSpecification) throws -> RunResult {
        let question = String(decoding: try JSONEncoder().encode(specification), as: UTF8.self)
        let process = process(["--single", question])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(
                "Measuring \(specification.layout) at \(specification.workload.rawValue) failed."
            )
        }
        return try JSONDecoder().decode(RunResult.self, from: answer)
    }

    /// A process of this tool that measures, not started yet.
    static func process(_ options: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0]
        )
        process.arguments = ["bench"] + options
        return process
    }

    /// Makes the measurement that another process asked for, and prints the result as JSON.
    static func answer(_ question: String) throws {
        let specification: RunSpecification
        do {
            specification = try JSONDecoder().decode(
                RunSpecification.self,
                from: Data(question.utf8)
            )
        } catch {
            throw CommandError("The option --single needs what bench itself passes.")
        }
        let result = try SingleRun(specification, layouts: StackLayout.all).measure()
        Terminal.print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}
