import Foundation

/// The tool: its commands, and how it ends.
enum Tool {
    static var commands: [any Command.Type] {
        [
            ImportCommand.self, ExportCommand.self, FetchCommand.self, InspectCommand.self,
            ModelCommand.self,
            MigrateCommand.self, GenerateCommand.self, PortCommand.self, WatchCommand.self,
            BenchCommand.self, DemoCommand.self,
        ]
    }

    /// The text of `mergectl --help`.
    static var overview: String {
        let rows = commands.map { ($0.syntax.name, $0.syntax.summary) }
        let lines =
            ["Usage: mergectl COMMAND [options]", "", "Commands:"] + HelpText.columns(rows)
            + ["", "mergectl COMMAND --help tells more about a command."]
        return lines.joined(separator: "\n")
    }

    /// Runs what the command line asks for, and returns the exit code.
    static func run(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first else {
            Terminal.printError(overview)
            return 2
        }
        if name == "--help" || name == "-h" || name == "help" {
            Terminal.print(overview)
            return 0
        }
        guard let command = commands.first(where: { $0.syntax.name == name }) else {
            Terminal.printError("mergectl: There is no command \(name); see mergectl --help.")
            return 2
        }
        do {
            let parsed = try ParsedArguments(Array(arguments.dropFirst()), syntax: command.syntax)
            if parsed.asksForHelp {
                Terminal.print(command.syntax.help)
            } else {
                try command.run(parsed)
            }
            return 0
        } catch let error as UsageError {
            Terminal.printError("mergectl: \(error.message)\n\(error.usage)")
            return 2
        } catch {
            Terminal.printError("mergectl: \(error.localizedDescription)")
            return 1
        }
    }
}
