import Foundation
import RandomRuns
import Testing

/// A share of the random runs; `make random` runs as many as one likes. `RANDOM_SEED` has this suite
/// begin with another seed than 1.
///
/// They run in processes of their own, whose contexts check themselves: what that finds stops the
/// process. The seeds are printed, and for a sequence that fails the steps of it that suffice and
/// the command that repeats it.
@Suite struct RandomRunTests {
    @Test(arguments: RandomFamilies.all.map { $0.name })
    func sequencesShowNoDifference(of family: String) throws {
        let process = Process()
        process.executableURL = Self.products.appendingPathComponent("random-runs")
        process.arguments = [
            "--family", family,
            "--seed", ProcessInfo.processInfo.environment["RANDOM_SEED"] ?? "1",
            "--sequences", "\(Self.sequenceCount)",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let output = String(decoding: data, as: UTF8.self)
        print(output, terminator: "")
        #expect(process.terminationStatus == 0, "\(output)")
    }

    /// Some seconds in debug, on a machine that does nothing else.
    private static let sequenceCount = 100

    /// Where the programs of the package are built.
    private static var products: URL {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        return tests?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    }
}
