import Foundation

/// What a subcommand accepts on the command line; its help is made from it.
struct CommandSyntax {
    /// Something that the command takes beside files and names.
    struct Option {
        let name: String
        /// What its value is called in the help; nil for a flag.
        let valueName: String?
        let help: String
        let isRequired: Bool

        static func value(
            _ name: String,
            _ valueName: String,
            _ help: String,
            isRequired: Bool = false
        ) -> Option {
            Option(name: name, valueName: valueName, help: help, isRequired: isRequired)
        }

        /// An option that takes one of the cases.
        static func choice<Choice: RawRepresentable<String> & CaseIterable>(
            _ name: String,
            _: Choice.Type,
            _ help: String
        ) -> Option {
            .value(name, Choice.allCases.map(\.rawValue).joined(separator: "|"), help)
        }

        /// `--format`, for commands whose result other programs read.
        static let format: Option = .choice(
            "format",
            ReportFormat.self,
            "How the result is printed; text if not given."
        )

        static func flag(_ name: String, _ help: String) -> Option {
            Option(name: name, valueName: nil, help: help, isRequired: false)
        }

        /// The option as the help shows it.
        var title: String { "--" + name + (valueName.map { " " + $0 } ?? "") }
    }

    let name: String
    let summary: String
    /// The operands as the usage line shows them, for example `FILE…`.
    let operands: String
    let operandCount: ClosedRange<Int>
    var options: [Option] = []
    /// What the help says below the options, in lines.
    var discussion: [String] = []

    var usage: String {
        var words = ["Usage: mergectl", name]
        for option in options where option.isRequired {
            words.append("--\(option.name) \(option.valueName ?? "")")
        }
        if options.contains(where: { !$0.isRequired }) { words.append("[options]") }
        if !operands.isEmpty { words.append(operands) }
        return words.joined(separator: " ")
    }

    /// The options, with the one that every command has.
    var allOptions: [Option] { options + [.flag("help", "Show this text.")] }

    var help: String {
        var lines = [summary, "", usage, "", "Options:"]
        lines += HelpText.columns(allOptions.map { ($0.title, $0.help) })
        if !discussion.isEmpty { lines += [""] + discussion }
        return lines.joined(separator: "\n")
    }
}

/// The layout of help texts.
enum HelpText {
    /// Two columns, the second aligned.
    static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, text in
            "  " + name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + text
        }
    }
}

/// A command line that asks for what there is not; ends the tool with code 2.
struct UsageError: Error {
    let message: String
    /// The usage line of the command that it is about.
    let usage: String
}
