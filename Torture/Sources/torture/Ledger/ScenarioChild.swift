import CTorture
import Foundation

/// A program that makes one step, and is killed before one of its operations on files.
enum ScenarioChild {
    /// - Parameter number: Before which operation, from 1.
    /// - Returns: If there are not so many.
    static func run(_ name: String, in folder: URL, killedBefore number: Int) throws {
        guard let scenario = Scenario.named(name) else {
            throw UsageError(text: "there is no scenario \(name)")
        }
        faults_watch(folder.path)
        let attempt = try scenario.begin(folder)
        faults_arm(FAULT_KILL, Int64(number), 0)
        try attempt.act()
        print("done")
        fflush(nil)
        try attempt.end()
        faults_disarm()
    }
}
