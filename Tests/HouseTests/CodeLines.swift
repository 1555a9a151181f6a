import Foundation

/// Lines of code without the indentation that they share and without blanks at their ends.
struct CodeLines: Hashable, CustomStringConvertible {
    let lines: [String]

    init(_ raw: some Sequence<String>) {
        let trimmed = raw.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        let depth = trimmed.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        lines = trimmed.map { String($0.dropFirst(depth)) }
    }

    var description: String { lines.joined(separator: "\n") }

    /// Whether other lines stand in these, one after the other.
    func holds(_ other: CodeLines) -> Bool {
        let count = other.lines.count
        guard count > 0, count <= lines.count else { return false }
        return (0...lines.count - count).contains { start in
            CodeLines(lines[start..<start + count]) == other
        }
    }

    /// What a snippet shows: the lines that are not hidden, without the marks.
    static func shown(of source: String) -> CodeLines {
        var isHidden = false
        var shown: [String] = []
        for line in source.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("// snippet.") {
                isHidden = text == "// snippet.hide" || isHidden && text != "// snippet.show"
            } else if !isHidden {
                shown.append(line)
            }
        }
        return CodeLines(shown)
    }

    /// The Swift blocks of a page of Markdown.
    static func blocks(of page: String) -> [CodeLines] {
        var blocks: [CodeLines] = []
        var open: [String]?
        for line in page.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let lines = open {
                if text == "```" {
                    blocks.append(CodeLines(lines))
                    open = nil
                } else {
                    open = lines + [line]
                }
            } else if text == "```swift" {
                open = []
            }
        }
        return blocks
    }
}
