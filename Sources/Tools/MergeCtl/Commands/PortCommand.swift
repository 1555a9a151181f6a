import Foundation
import Porting

/// `mergectl port`: finds, and rewrites, what Linux can't compile.
enum PortCommand: Command {
    static let syntax = CommandSyntax(
        name: "port",
        summary: "Find and rewrite the lines of Swift sources that Linux can't compile.",
        operands: "DIR|FILE…",
        operandCount: 1...Int.max,
        options: [.flag("write", "Rewrite the files.")],
        discussion: [
            "Rewritten sources still compile on Apple's platforms; a second run changes nothing.",
            "A line \"note\" tells what is rewritten, \"warning\" what is left to a person; if",
            "there is something left, the command ends with 1.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let writes = arguments.has("write")
        let roots = arguments.operands.map { URL(fileURLWithPath: $0) }
        let files = try DirectoryPorter(roots).run(writes: writes)
        for file in files {
            for finding in file.findings {
                let kind = finding.kind == .left ? "warning" : "note"
                let place = file.path.isEmpty ? "" : "\(file.path):\(finding.line): "
                Terminal.print("\(place)\(kind): \(finding.message)")
            }
        }
        let findings = files.flatMap(\.findings)
        let left = findings.count { $0.kind == .left }
        let rewritten = findings.count - left
        Terminal.print(
            "Files: \(files.count { !$0.path.isEmpty }). \(writes ? "Rewritten" : "To rewrite with --write"): "
                + "\(rewritten). Left to you: \(left)."
        )
        if left > 0 { throw WorkLeft(count: left) }
    }
}

/// What ends `port` with code 1 though it has done its part.
private struct WorkLeft: LocalizedError {
    let count: Int
    var errorDescription: String? {
        "What is left (\(count)) needs a person; see the warnings above."
    }
}
