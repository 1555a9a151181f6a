import Foundation

/// The completion of the tool's command line for fish 3 and later.
struct FishCompletion {
    let tool: ToolDescription

    var script: String {
        let options = tool.options.map {
            "complete -c \(tool.name) -n '__\(tool.name)_at 0' -l \($0.name) -d \(quoted($0.help))"
        }
        let commands = tool.commands.map {
            "complete -c \(tool.name) -n '__\(tool.name)_at 0' -a \($0.name) -d "
                + quoted($0.summary)
        }
        return """
            # fish completion for \(tool.name) \(tool.version), written by "\(tool.name) completion fish".
            function __\(tool.name)_at -d 'Whether the command stands there; 0: none yet'
                set -l words (commandline -opc)
                if test $argv[1] = 0
                    test (count $words) -eq 1
                else
                    test (count $words) -gt 1; and test $words[2] = $argv[1]
                end
            end
            complete -c \(tool.name) -f
            \((options + commands + tool.commands.flatMap(lines)).joined(separator: "\n"))

            """
    }

    private func lines(_ command: CommandSyntax) -> [String] {
        let start = "complete -c \(tool.name) -n '__\(tool.name)_at \(command.name)'"
        let options = command.allOptions.map { option in
            start + " -l \(option.name)" + value(option.valueKind) + " -d " + quoted(option.help)
        }
        // Places are not told apart: the words are offered beside the files.
        let operands = command.operandKinds.compactMap { kind in
            switch kind {
            case .file: start + " -F"
            case .choice(let words): start + " -a '\(words.joined(separator: " "))'"
            case .other: nil
            }
        }
        return options + operands
    }

    private func value(_ kind: ArgumentKind?) -> String {
        switch kind {
        case .file: " -r -F"
        case .choice(let words): " -x -a '\(words.joined(separator: " "))'"
        case .other: " -x"
        case nil: ""
        }
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
            .replacingOccurrences(of: "'", with: "\\'")
        return "'\(escaped)'"
    }
}
