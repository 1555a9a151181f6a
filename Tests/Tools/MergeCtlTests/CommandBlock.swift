/// A block of commands on a page in Markdown: of `sh`, whose commands stand alone, or of `console`,
/// which shows after `$` what is typed, and below it what comes out.
struct CommandBlock {
    /// A command with what the page says that it prints; nothing if it says nothing.
    struct Step {
        var command: String
        var output: [String] = []

        /// Whether a text is the output: `…` at the end of a line stands for its rest, and alone in a
        /// line for any lines.
        func matches(_ text: String) -> Bool {
            output.isEmpty || Self.matches(output[...], text.split(separator: "\n")[...])
        }

        private static func matches(
            _ shown: ArraySlice<String>,
            _ lines: ArraySlice<Substring>
        ) -> Bool {
            guard let first = shown.first else { return lines.isEmpty }
            if first == "…" {
                return (lines.startIndex...lines.endIndex).contains { start in
                    matches(shown.dropFirst(), lines[start...])
                }
            }
            guard let line = lines.first else { return false }
            let isSame =
                first.hasSuffix("…") ? line.hasPrefix(first.dropLast()) : line == Substring(first)
            return isSame && matches(shown.dropFirst(), lines.dropFirst())
        }
    }

    var steps: [Step] = []

    static func all(of page: String) -> [CommandBlock] {
        var blocks: [CommandBlock] = []
        var language: String?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                let name = String(line.dropFirst(3))
                if language == nil, name == "sh" || name == "console" { blocks.append(.init()) }
                language = language == nil ? name : nil
            } else if language == "sh" {
                blocks[blocks.count - 1].add(line)
            } else if language == "console" {
                blocks[blocks.count - 1].addShown(line)
            }
        }
        return blocks
    }

    private mutating func add(_ line: String) {
        guard !line.isEmpty, !line.hasPrefix("#") else { return }
        if let last = steps.last, last.command.hasSuffix("\\") {
            steps[steps.count - 1].command += "\n" + line
        } else {
            steps.append(Step(command: line))
        }
    }

    private mutating func addShown(_ line: String) {
        if line.hasPrefix("$ ") {
            steps.append(Step(command: String(line.dropFirst(2))))
        } else if !steps.isEmpty, !line.isEmpty {
            steps[steps.count - 1].output.append(line)
        }
    }
}
