import Foundation

/// A command line taken apart after a command's syntax.
struct ParsedArguments {
    private let syntax: CommandSyntax
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    /// What is neither an option nor the value of one, in order.
    private(set) var operands: [String] = []
    private(set) var asksForHelp = false

    /// Parses what follows the command's name: `--name value`, `--name=value`, `--flag`; all
    /// behind `--` is an operand.
    init(_ arguments: [String], syntax: CommandSyntax) throws {
        self.syntax = syntax
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            } else if argument == "--help" || argument == "-h" {
                asksForHelp = true
                return
            } else if argument.hasPrefix("--") {
                try parseOption(argument.dropFirst(2), rest: &rest)
            } else if argument.hasPrefix("-"), argument.count > 1 {
                throw usageError("There is no option \(argument).")
            } else {
                operands.append(argument)
            }
        }
        for option in syntax.options where option.isRequired && values[option.name] == nil {
            throw usageError("The option --\(option.name) is missing.")
        }
        guard syntax.operandCount.contains(operands.count) else {
            if operands.count < syntax.operandCount.lowerBound {
                throw usageError("Something is missing: \(syntax.operands).")
            }
            throw usageError("There is an argument too many: \(operands.last ?? "")")
        }
    }

    private mutating func parseOption(_ text: Substring, rest: inout ArraySlice<String>) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = syntax.options.first(where: { $0.name == name }) else {
            let names = syntax.options.map(\.name) + ["help"]
            let meant = Spelling.nearest(to: name, among: names).map { " Did you mean --\($0)?" }
            throw usageError("There is no option --\(name)." + (meant ?? ""))
        }
        if option.valueName == nil {
            guard parts.count == 1 else { throw usageError("The option --\(name) takes no value.") }
            flags.insert(name)
        } else if parts.count == 2 {
            values[name] = String(parts[1])
        } else if let value = rest.popFirst() {
            values[name] = value
        } else {
            throw usageError("The option --\(name) needs a value.")
        }
    }

    /// Whether the flag stands there.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The option's value, if it stands there.
    subscript(option: String) -> String? { values[option] }

    /// The value of an option that must stand there.
    func required(_ option: String) throws -> String {
        guard let value = values[option] else {
            throw usageError("The option --\(option) is missing.")
        }
        return value
    }

    /// The option's value as a number within bounds, or what counts without it.
    func integer(_ option: String, default standard: Int, in range: ClosedRange<Int>) throws -> Int
    {
        guard let text = values[option] else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw usageError(
                "The option --\(option) needs a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound), not \"\(text)\"."
            )
        }
        return number
    }

    /// The option's value as one of the cases, or what counts without it.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: String,
        default standard: Choice
    ) throws -> Choice {
        guard let text = values[option] else { return standard }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw usageError("The option --\(option) is one of \(names), not \"\(text)\".")
        }
        return choice
    }

    func usageError(_ message: String) -> UsageError {
        UsageError(message: message, usage: syntax.usage)
    }
}
