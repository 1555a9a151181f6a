import CTorture
import Foundation

// `make torture`: the package breaks itself, and says what it stood.
//
//     torture <row> [--seed <number>] [--count <points> | --all] [--seconds <most>] [--resume]
//                   [--folder <results>]
//     torture <row> --point <name> [--seed <number>] [--control]
//     torture report [--folder <results>]
//     torture rows
//     torture planted <mistake>
//
// Points are run by a process of their own (`worker`), since what they find may stop it. After them a
// few are run with a planted defect, the row's negative control. The exit status is 1 where something
// was found, or the control was not.

@main
enum Torture {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            guard let command = arguments.first else { throw UsageError(text: "no row is named") }
            exit(try run(command, arguments.dropFirst()))
        } catch let error as UsageError {
            FileHandle.standardError.write(Data("\(usage)\ntorture: \(error.text)\n".utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("torture: \(error)\n".utf8))
            exit(70)
        }
    }

    private static let usage = """
        Usage: torture ROW [--seed N] [--count POINTS | --all] [--seconds MOST] [--resume]
               torture ROW --point NAME [--seed N] [--control]
               torture report
               torture rows
               torture planted MISTAKE, to see that a sanitizer finds it
        All take --folder, where results are kept (.build/torture).
        """

    /// Commands of the program for itself.
    private static let childCommands = [
        "worker", "crash-child", "scenario-child", "update-child", "nesting-child",
        "environment-child", "lock-child", "queue-child", "sharing-child",
        "replica-child",
    ]

    private static func run(_ command: String, _ arguments: ArraySlice<String>) throws -> Int32 {
        if childCommands.contains(command) { end_with_parent() }
        switch command {
        case "rows":
            for row in Rows.all { print("\(row.id) \(row.name): \(row.title)") }
            return 0
        case "report":
            return try Report.write(in: Options(arguments).folder)
        case "planted":
            guard let mistake = arguments.first.flatMap(PlantedMistake.init) else {
                let names = PlantedMistake.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError(text: "no mistake is named; there are \(names)")
            }
            return mistake.make()
        case "worker":
            guard let name = arguments.first else { throw UsageError(text: "no row is named") }
            let options = try Options(arguments.dropFirst())
            let worker = Worker(
                row: try row(name),
                options: options,
                files: RunFiles(folder: options.folder)
            )
            try worker.run()
            return 0
        case "crash-child", "scenario-child", "update-child", "nesting-child":
            guard let subject = arguments.first else {
                throw UsageError(text: "\(command) lacks what it is about")
            }
            try runChild(command, subject, Options(arguments.dropFirst()))
            return 0
        case "environment-child":
            guard let name = arguments.first, let work = arguments.dropFirst().first else {
                throw UsageError(text: "no condition and no folder are named")
            }
            let isControl = arguments.contains("--control")
            try ConditionChild.run(name, in: URL(fileURLWithPath: work), isControl: isControl)
            return 0
        #if PostgreSQL
        case "sharing-child":
            guard let text = arguments.first else { throw UsageError(text: "no server is named") }
            try SharingChild.run(SharingChild.Task(text, Options(arguments.dropFirst())))
        case "replica-child":
            guard let text = arguments.first else { throw UsageError(text: "no server is named") }
            try ReplicaChild.run(text, Options(arguments.dropFirst()))
            return 0
        #endif
        case "queue-child":
            guard let name = arguments.first else { throw UsageError(text: "no call is named") }
            try QueueChild.run(name, isOnQueue: arguments.contains("--on-queue"))
            return 0
        case "lock-child":
            guard let path = arguments.first, let kind = arguments.dropFirst().first else {
                throw UsageError(text: "no store and no lock are named")
            }
            try LockChild.run(path, kind)
            return 0
        default:
            return try RowCommand(row: row(command), options: Options(arguments)).run()
        }
    }

    private static func runChild(
        _ command: String,
        _ subject: String,
        _ options: Options
    ) throws {
        let url = URL(fileURLWithPath: subject)
        switch command {
        case "crash-child": try CrashChild.run(url, tellsTooEarly: options.isControl)
        case "update-child": try UpdateRunner.runChild(url, isControl: options.isControl)
        case "scenario-child":
            let number = options.count ?? 0
            try ScenarioChild.run(subject, in: options.folder, killedBefore: number)
        default:
            guard let setUp = options.setUp else { throw UsageError(text: "no set-up is named") }
            try NestingChild.run(
                NestingChild.Task(
                    setUp: setUp,
                    url: url,
                    roundCount: options.count ?? 1,
                    seed: options.seed,
                    isControl: options.isControl
                )
            )
        }
    }

    private static func row(_ name: String) throws -> any TortureRow {
        guard let row = Rows.named(name) else {
            let names = Rows.all.map(\.name).joined(separator: ", ")
            throw UsageError(text: "there is no row \(name); there are \(names)")
        }
        return row
    }
}
