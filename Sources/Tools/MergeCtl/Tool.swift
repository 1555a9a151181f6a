import Foundation

/// The tool: its commands, and how it ends.
enum Tool {
    static var commands: [any Command.Type] {
        [
            ImportCommand.self, ExportCommand.self, FetchCommand.self, InspectCommand.self,
            ModelCommand.self,
            MigrateCommand.self, GenerateCommand.self, PortCommand.self, WatchCommand.self,
            BenchCommand.self, DemoCommand.self, CompletionCommand.self, ManualCommand.self,
        ]
    }

    /// The version of the package, as the changelog has it.
    static let version = "0.1.0"

    /// What help, completions and the manual page are written from.
    static var description: ToolDescription {
        ToolDescription(version: version, commands: commands.map { $0.syntax })
    }

    /// Runs what the command line asks for, and returns the exit code.
    static func run(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first else {
            Terminal.printError(description.help)
            return 2
        }
        if name == "--help" || name == "-h" || name == "help" {
            Terminal.print(description.help)
            return 0
        }
        if name == "--version" {
            Terminal.print("mergectl \(version)")
            return 0
        }
        guard let command = commands.first(where: { $0.syntax.name == name }) else {
            let meant = Spelling.nearest(to: name, among: commands.map { $0.syntax.name })
            Terminal.printError(
                "mergectl: There is no command \(name)"
                    + (meant.map { "; did you mean \($0)?" } ?? "; see mergectl --help.")
            )
            return 2
        }
        do {
            try ServerStore.checkIsKnown(in: arguments)
            let parsed = try ParsedArguments(Array(arguments.dropFirst()), syntax: command.syntax)
            if parsed.asksForHelp {
                Terminal.print(command.syntax.help)
            } else {
                try command.run(parsed)
            }
            return 0
        } catch let end as ToolEnd {
            return end.code
        } catch let error as UsageError {
            Terminal.printError("mergectl: \(error.message)\n\(error.usage)")
            return 2
        } catch {
            Terminal.printError("mergectl: \(FileFailure.sentence(error))")
            return 1
        }
    }
}

/// Ends the tool with a code, after all has been said.
struct ToolEnd: Error {
    let code: Int32
}
