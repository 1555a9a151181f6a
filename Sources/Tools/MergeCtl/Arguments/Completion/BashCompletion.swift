/// The completion of the tool's command line for bash 3.2 and later.
struct BashCompletion {
    let tool: ToolDescription

    var script: String {
        let first = tool.commands.map(\.name) + tool.options.map { "--" + $0.name }
        return """
            # bash completion for \(tool.name) \(tool.version), written by "\(tool.name) completion bash".
            _\(tool.name)() {
                local current=${COMP_WORDS[COMP_CWORD]} option='' place=0 ended='' index word
                local options='' valued='' choices='' kind=''
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W '\(first.joined(separator: " "))' -- "$current"))
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(tool.commands.map(names).joined(separator: "\n"))
                *) return ;;
                esac
                # Is the word the value of an option, an option, or which operand?
                for ((index = 2; index < COMP_CWORD; index++)); do
                    word=${COMP_WORDS[index]}
                    if [ -n "$option" ]; then
                        # bash makes a word of the = in --option=value.
                        [ "$word" = '=' ] || option=''
                    elif [ -n "$ended" ]; then
                        place=$((place + 1))
                    else
                        case $word in
                        --) ended=1 ;;
                        -*) case " $valued " in *" $word "*) option=$word ;; esac ;;
                        *) place=$((place + 1)) ;;
                        esac
                    fi
                done
                if [ -n "$option" ]; then
                    [ "$current" != '=' ] || current=''
                elif [ -z "$ended" ] && [ "${current#-}" != "$current" ]; then
                    COMPREPLY=($(compgen -W "$options" -- "$current"))
                    return
                fi
                case "${COMP_WORDS[1]} ${option:-$place}" in
            \(tool.commands.flatMap(kinds).joined(separator: "\n"))
                esac
                if [ "$kind" = file ]; then
                    # As bash completes the names of files, with their quotes.
                    compopt -o default 2>/dev/null
                elif [ -n "$choices" ]; then
                    COMPREPLY=($(compgen -W "$choices" -- "$current"))
                fi
            }
            # The bash of macOS has no compopt: there every argument may be a file.
            if type compopt >/dev/null 2>&1; then
                complete -F _\(tool.name) \(tool.name)
            else
                complete -o default -F _\(tool.name) \(tool.name)
            fi

            """
    }

    /// The options of a command, and which of them take a value.
    private func names(_ command: CommandSyntax) -> String {
        let options = command.allOptions.map { "--" + $0.name }
        let valued = command.options.filter { $0.valueName != nil }.map { "--" + $0.name }
        return """
                \(command.name))
                    options='\(options.joined(separator: " "))'
                    valued='\(valued.joined(separator: " "))'
                    ;;
            """
    }

    /// What the values of a command's options and its operands are.
    private func kinds(_ command: CommandSyntax) -> [String] {
        let values = command.options.compactMap { option in
            option.valueKind.flatMap { line("'\(command.name) --\(option.name)'", $0) }
        }
        let operands = command.operandKinds.enumerated().compactMap { place, kind in
            let isLast = place == command.operandKinds.count - 1
            // An option has been ruled out by then, for the lines above name those with values.
            let pattern =
                isLast && command.repeatsLastOperand
                ? "'\(command.name) '[0-9]*" : "'\(command.name) \(place)'"
            return line(pattern, kind)
        }
        return values + operands
    }

    private func line(_ pattern: String, _ kind: ArgumentKind) -> String? {
        switch kind {
        case .file: "    \(pattern)) kind=file ;;"
        case .choice(let words): "    \(pattern)) choices='\(words.joined(separator: " "))' ;;"
        case .other: nil
        }
    }
}
