import Foundation
import Testing

/// `mergectl completion`: the scripts, read and used by the shells themselves.
@Suite struct CompletionToolTests {
    static let hasBash = InstalledProgram.path("bash") != nil
    static let hasZsh = InstalledProgram.path("zsh") != nil
    static let hasFish = InstalledProgram.path("fish") != nil

    private func withScript(
        _ shell: String,
        _ body: (_ script: URL, _ folder: URL) throws -> Void
    ) throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try ToolRun.mergectl(["completion", shell])
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        let script = folder.appendingPathComponent("script")
        try Data(run.output.utf8).write(to: script)
        let work = folder.appendingPathComponent("work")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        // A file whose name begins as an entity's does is offered for files only.
        for name in ["My Store.sqlite", "Airport.csv"] {
            try Data().write(to: work.appendingPathComponent(name))
        }
        try body(script, work)
    }

    /// Types lines with tabs into a shell whose `mergectl` shows what it is given.
    private func complete(
        _ typed: [(line: String, given: String)],
        _ shell: PseudoTerminal
    ) throws {
        for (line, given) in typed {
            try shell.type(line + "\n")
            try shell.wait(for: given)
        }
        try shell.type("exit\n")
        #expect(try shell.finish() == 0)
    }

    private static let typed: [(line: String, given: String)] = [
        ("mergectl insp\t My\t", "<inspect><My Store.sqlite>"),
        (
            "mergectl import --conf\t --batch 3 Airp\t",
            "<import><--confinement><--batch><3><Airport.csv>"
        ),
        ("mergectl generate --acc\t int\t", "<generate><--access><internal>"),
        ("mergectl fetch --store My\t Airp\t", "<fetch><--store><My Store.sqlite><Airp>"),
        ("mergectl completion fi\t", "<completion><fish>"),
        ("mergectl model comp\t Airp\t My\t", "<model><compile><Airport.csv><My Store.sqlite>"),
    ]

    @Test(.enabled(if: hasBash))
    func bashCompletesCommandsOptionsWordsAndFiles() throws {
        try withScript("bash") { script, folder in
            #expect(try InstalledProgram.run("bash", ["-n", script.path]).errors == "")
            let shell = try PseudoTerminal(
                InstalledProgram.path("bash") ?? "",
                ["--norc", "--noprofile", "-i"],
                in: folder,
                environment: ["INPUTRC": "/dev/null", "HISTFILE": ""]
            )
            try shell.type("mergectl() { printf '<%s>' \"$@\"; echo; }; . '\(script.path)'\n")
            try complete(
                Self.typed + [
                    ("mergectl generate --access=int\t", "<generate><--access=internal>")
                ],
                shell
            )
        }
    }

    @Test(.enabled(if: hasZsh))
    func zshCompletesCommandsOptionsWordsAndFiles() throws {
        try withScript("zsh") { script, folder in
            #expect(try InstalledProgram.run("zsh", ["-n", script.path]).errors == "")
            let shell = try PseudoTerminal(
                InstalledProgram.path("zsh") ?? "",
                ["-f", "-i"],
                in: folder
            )
            try shell.type(
                "autoload -U compinit; compinit -u -D; mergectl() { printf '<%s>' \"$@\"; echo; }; "
                    + ". '\(script.path)'\n"
            )
            try complete(Self.typed, shell)
        }
    }

    @Test(.enabled(if: hasFish))
    func fishCompletesCommandsOptionsWordsAndFiles() throws {
        try withScript("fish") { script, folder in
            #expect(try InstalledProgram.run("fish", ["-n", script.path]).errors == "")
            for (line, offered) in [
                ("insp", "inspect"), ("import --conf", "--confinement"),
                ("inspect My", "My Store.sqlite"), ("generate --access int", "internal"),
                ("fetch --store My", "My Store.sqlite"), ("completion fi", "fish"),
            ] {
                let text = "source '\(script.path)'; complete -C 'mergectl \(line)'"
                let run = try InstalledProgram.run("fish", ["--no-config", "-c", text], in: folder)
                // Some versions write the space as the command line needs it.
                let output = run.output.replacingOccurrences(of: "\\", with: "")
                let words = output.split(separator: "\n").map {
                    $0.split(separator: "\t").first.map(String.init) ?? ""
                }
                #expect(words == [offered], "\(line): \(run.errors)")
            }
            let none = "source '\(script.path)'; complete -C 'mergectl fetch Airp'"
            #expect(
                try InstalledProgram.run("fish", ["--no-config", "-c", none], in: folder).output
                    == ""
            )
        }
    }

    @Test(.enabled(if: hasBash))
    func bashOffersEveryCommandAndOptionAndNoOther() throws {
        let help = try ToolHelp()
        try withScript("bash") { script, _ in
            var text = ". '\(script.path)'\n"
            text += "ask() { COMP_WORDS=(mergectl \"$@\"); COMP_CWORD=$#; _mergectl; "
            text += "echo \"${COMPREPLY[@]}\"; }\nask ''\n"
            for command in help.commands { text += "ask \(command) --\n" }
            let run = try InstalledProgram.run(
                "bash",
                ["--norc", "--noprofile", "-s"],
                input: text
            )
            let lines = run.output.split(separator: "\n").map {
                $0.split(separator: " ").map(String.init)
            }
            try #require(lines.count == help.commands.count + 1, "\(run.errors)")
            #expect(lines[0] == help.commands + ["--help", "--version"])
            for (command, options) in zip(help.commands, lines.dropFirst()) {
                #expect(options == help.options[command], "\(command)")
            }
        }
    }

    @Test(.enabled(if: hasFish))
    func fishOffersEveryCommandAndOption() throws {
        let help = try ToolHelp()
        try withScript("fish") { script, folder in
            var text = "source '\(script.path)'\n"
            for command in help.commands {
                text += "complete -C 'mergectl \(command) --'\necho .\n"
            }
            text += "complete -C 'mergectl '\n"
            let run = try InstalledProgram.run(
                "fish",
                ["--no-config", "-c", text],
                in: folder
            )
            let parts = run.output.components(separatedBy: "\n.\n").map { part in
                Set(part.split(separator: "\n").compactMap { $0.split(separator: "\t").first })
            }
            try #require(parts.count == help.commands.count + 1, "\(run.errors)")
            for (command, offered) in zip(help.commands, parts) {
                #expect(offered == Set(help.options[command, default: []].map { $0[...] }))
            }
            #expect(parts.last?.isSuperset(of: help.commands.map { $0[...] }) == true)
        }
    }

    @Test func theScriptForZshNamesEveryCommandAndOption() throws {
        let help = try ToolHelp()
        let script = try ToolRun.mergectl(["completion", "zsh"]).output
        for command in help.commands {
            #expect(script.contains("'\(command):"))
            let start = "\n        \(command))\n"
            let parts = script.components(separatedBy: start)
            try #require(parts.count == 2, "\(command)")
            let branch = parts[1].components(separatedBy: ";;")[0]
            for option in help.options[command, default: []] {
                let isThere = branch.contains("'\(option)[") || branch.contains("'\(option)=[")
                #expect(isThere, "\(command) \(option)")
            }
        }
    }

    @Test func otherShellsAreRefusedWithTheNamesOfThoseThereAre() throws {
        let run = try ToolRun.mergectl(["completion", "tcsh"])
        #expect(run.code == 2 && run.errors.contains("bash, zsh and fish"))
    }
}
