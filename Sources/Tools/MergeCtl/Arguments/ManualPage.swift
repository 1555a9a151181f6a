import Foundation

/// The manual page of the tool, for `man`.
struct ManualPage {
    let tool: ToolDescription

    /// The page in the language of `man`, for roff.
    var source: String {
        let title = tool.name.uppercased()
        var lines = [
            ".\\\" Written by \"\(tool.name) manual\".",
            ".TH \(title) 1 \"\" \"\(tool.name) \(tool.version)\" \"MergeStack\"",
            ".SH NAME", "\(tool.name) \\- \(text(tool.summary))",
            ".SH SYNOPSIS", ".B \(tool.name)", "\\fICOMMAND\\fR [\\fIoptions\\fR]",
            ".SH DESCRIPTION",
            "A command takes options and operands in any order.",
            text("The value of an option stands behind it, or after an equals sign: --store FILE,"),
            text("--store=FILE. All that follows two hyphens is an operand."),
        ]
        lines += [".SH OPTIONS"] + tool.options.flatMap(entry)
        lines += [".SH COMMANDS"] + tool.commands.flatMap(section)
        lines.append(".SH EXIT STATUS")
        for (code, meaning) in tool.exitCodes { lines += [".TP", ".B \(code)", text(meaning)] }
        lines += [".SH SEE ALSO", ".BR sqlite3 (1)"]
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ command: CommandSyntax) -> [String] {
        let usage = command.usage.replacingOccurrences(of: "Usage: ", with: "")
        return [".SS \(text(command.name))", text(command.summary), ".PP", ".B \(text(usage))"]
            + command.allOptions.flatMap(entry) + paragraphs(command.discussion)
    }

    private func entry(_ option: CommandSyntax.Option) -> [String] {
        let value = option.valueName.map { " \\fI\(text($0))\\fR" } ?? ""
        return [".TP", "\\fB\(text("--" + option.name))\\fR\(value)", text(option.help)]
    }

    /// Lines of a discussion: what is laid out in columns stays so, the rest is filled.
    private func paragraphs(_ lines: [String]) -> [String] {
        lines.split(separator: "").flatMap { paragraph in
            let isTable = paragraph.contains { $0.dropFirst().contains("  ") || $0.hasPrefix(" ") }
            let texts = paragraph.map(text)
            return [".PP"] + (isTable ? [".nf"] + texts + [".fi"] : texts)
        }
    }

    /// A text without what roff would read as something else.
    private func text(_ plain: String) -> String {
        var result = ""
        for scalar in plain.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            // At the beginning of a line these make it a request, elsewhere they are typographic.
            case ".": result += result.isEmpty ? "\\&." : "."
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "`": result += "\\(ga"
            case "…": result += "..."
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "\\[u\(String(format: "%04X", scalar.value))]"
            }
        }
        return result
    }
}
