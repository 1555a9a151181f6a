import Foundation

/// R15: what is around the program is not as it should be.
struct EnvironmentRow: TortureRow {
    let id = "R15"
    let name = "environment"
    let title = "The environment is not as it should be"
    let unit = "conditions"
    var changeCount: Int { Condition.all.count }
    var releaseCount: Int { Condition.all.count }
    let control = "A system that reports writing to a full disk as writing that worked"
    /// A condition has a minute before its own process is stopped.
    var pointLimit: Double { 90 }

    func plan(_ options: Options) throws -> Plan {
        let names = Condition.all.map(\.name).prefix(options.count ?? .max)
        return Plan(points: Array(names), expectedCount: names.count)
    }

    func controlPlan(_ options: Options) throws -> Plan {
        let names = Condition.all.map(\.name).filter { $0.hasPrefix("full-disk/") }
        return Plan(points: names, expectedCount: names.count)
    }

    func isCaught(_ outcome: Outcome) -> Bool {
        outcome.violations.contains { $0.text.contains("documented error") }
    }

    func makeRunner(_ options: Options, in folder: URL) throws -> any PointRunner {
        ConditionRunner(in: folder, isControl: options.isControl)
    }
}
