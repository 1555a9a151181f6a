/// `mergectl completion`: what a shell needs to complete command lines of the tool.
enum CompletionCommand: Command {
    private enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static let syntax = CommandSyntax(
        name: "completion",
        summary: "Print the completion of command lines for a shell.",
        operands: Shell.allCases.map(\.rawValue).joined(separator: "|"),
        operandCount: 1...1,
        discussion: [
            "\"make install\" puts it where shells look for it. To try it in this shell:",
            "",
            "  bash, zsh  source <(mergectl completion bash)",
            "  fish       mergectl completion fish | source",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        guard let shell = Shell(rawValue: arguments.operands[0]) else {
            throw arguments.usageError(
                "There is no completion for \(arguments.operands[0]); there is one for bash, zsh "
                    + "and fish."
            )
        }
        let script =
            switch shell {
            case .bash: BashCompletion(tool: Tool.description).script
            case .zsh: ZshCompletion(tool: Tool.description).script
            case .fish: FishCompletion(tool: Tool.description).script
            }
        Terminal.write(script)
    }
}
