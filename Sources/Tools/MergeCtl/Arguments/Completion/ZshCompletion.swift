import Foundation

/// The completion of the tool's command line for zsh, as a file of its `fpath` or to be sourced.
struct ZshCompletion {
    let tool: ToolDescription

    var script: String {
        let commands = tool.commands.map { quoted("\($0.name):\($0.summary)") }
        let options = tool.options.map { quoted("(- *)--\($0.name)[\(bracketed($0.help))]") }
        return """
            #compdef \(tool.name)
            # zsh completion for \(tool.name) \(tool.version), written by "\(tool.name) completion zsh".
            _\(tool.name)() {
                local context state state_descr line
                local -A opt_args
                local -a commands
                commands=(
            \(commands.map { "        " + $0 }.joined(separator: "\n"))
                )
                _arguments -C \\
            \(options.map { "        \($0) \\" }.joined(separator: "\n"))
                    '1:command:->command' '*::argument:->arguments' && return
                case $state in
                command) _describe -t commands 'command' commands ;;
                arguments)
                    case $words[1] in
            \(tool.commands.map(branch).joined(separator: "\n"))
                    esac
                    ;;
                esac
            }
            if [ "$funcstack[1]" = _\(tool.name) ]; then
                _\(tool.name) "$@"
            else
                compdef _\(tool.name) \(tool.name)
            fi

            """
    }

    private func branch(_ command: CommandSyntax) -> String {
        let options = command.allOptions.map { option in
            let name = option.valueName == nil ? option.name : option.name + "="
            let value = option.valueName.map { ":\(named($0)):\(action(option.valueKind))" }
            return quoted("--\(name)[\(bracketed(option.help))]" + (value ?? ""))
        }
        let words = command.operands.split(separator: " ").map(String.init)
        let operands = words.enumerated().map { place, word in
            let isRepeated = place == words.count - 1 && command.repeatsLastOperand
            let position = isRepeated ? "*" : "\(place + 1)"
            return quoted("\(position):\(named(word)):\(action(ArgumentKind(named: word)))")
        }
        let lines = (options + operands).map { "                \($0)" }
        return """
                    \(command.name))
                        _arguments \\
            \(lines.joined(separator: " \\\n"))
                        ;;
            """
    }

    private func action(_ kind: ArgumentKind?) -> String {
        switch kind {
        case .file: "_files"
        case .choice(let words): "(\(words.joined(separator: " ")))"
        case .other, nil: " "
        }
    }

    /// What a value is called while it is asked for.
    private func named(_ word: String) -> String {
        if case .choice = ArgumentKind(named: word) { return "word" }
        return word.replacingOccurrences(of: ":", with: "\\:")
    }

    private func bracketed(_ text: String) -> String {
        text.replacingOccurrences(of: "\\", with: "\\\\")
            .replacingOccurrences(of: "[", with: "\\[").replacingOccurrences(of: "]", with: "\\]")
            .replacingOccurrences(of: ":", with: "\\:")
    }

    private func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
