/// All that can be said on the tool's command line: help texts, completions and the manual page are
/// written from it, and from nothing else.
struct ToolDescription {
    let name = "mergectl"
    let summary = "import into, export from, fetch from, inspect and migrate Core Data stores"
    let version: String
    let commands: [CommandSyntax]

    /// What may stand in the place of a command.
    let options: [CommandSyntax.Option] = [
        .flag("help", "Show the commands."),
        .flag("version", "Show the version."),
    ]

    /// The codes that the tool ends with.
    let exitCodes: [(code: String, meaning: String)] = [
        ("0", "All was done."),
        ("1", "Something was not done; standard error says what, and what to do."),
        ("2", "The command line is wrong, or a file to import has nothing that can be read."),
        ("130", "Interrupted by Ctrl-C; standard error says what was kept."),
    ]

    /// The text of `mergectl --help`.
    var help: String {
        let lines =
            ["Usage: \(name) COMMAND [options]", "", "Commands:"]
            + HelpText.columns(commands.map { ($0.name, $0.summary) })
            + ["", "Options:"] + HelpText.columns(options.map { ($0.title, $0.help) })
            + ["", "\(name) COMMAND --help tells more about a command, \(name) manual about all."]
        return lines.joined(separator: "\n")
    }
}
