import Foundation
import Testing

/// `mergectl manual`, and what `make install` puts where.
@Suite struct ManualToolTests {
    static let hasGroff = InstalledProgram.path("groff") != nil
    static let hasMan = InstalledProgram.path("man") != nil
    static let hasMake = InstalledProgram.path("make") != nil
    private static let checkout = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test func thePageHasEveryCommandAndOption() throws {
        let help = try ToolHelp()
        let page = try ToolRun.mergectl(["manual"]).output
        for command in help.commands {
            let parts = page.components(separatedBy: "\n.SS \(command)\n")
            try #require(parts.count == 2, "\(command)")
            let section = parts[1].components(separatedBy: "\n.S")[0]
            for option in help.options[command, default: []] {
                let name = option.replacingOccurrences(of: "-", with: "\\-")
                #expect(section.contains("\\fB\(name)\\fR"), "\(command) \(option)")
            }
        }
    }

    @Test(.enabled(if: hasGroff))
    func groffHasNothingToWarnOf() throws {
        let page = try ToolRun.mergectl(["manual"]).output
        let run = try InstalledProgram.run(
            "groff",
            ["-man", "-ww", "-Tascii", "-P-cbou"],
            input: page
        )
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.contains("--max-errors N"))
        #expect(run.output.contains("Import CSV and JSON files into a store."))
    }

    @Test(.enabled(if: hasMan))
    func manHasNothingToWarnOf() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("mergectl.1")
        try Data(try ToolRun.mergectl(["manual"]).output.utf8).write(to: file)
        // `env` sets what the test's own environment may lack.
        let run = try InstalledProgram.run(
            "env",
            ["LC_ALL=C.UTF-8", "MANROFFSEQ=", "MANWIDTH=80", "man", "--warnings", "-l", file.path]
        )
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.contains("EXIT STATUS"))
    }

    @Test(.enabled(if: hasMake))
    func whatMakeInstallsIsRemovedByMakeUninstall() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let tool = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("mergectl").path
        let places = ["PREFIX=/opt/tools", "DESTDIR=\(folder.path)"]
        func make(_ arguments: [String]) throws -> ToolRun {
            try InstalledProgram.run(
                "make",
                ["--no-print-directory"] + arguments,
                in: Self.checkout
            )
        }
        let run = try make(["install", "MERGECTL=\(tool)"] + places)
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        let root = folder.appendingPathComponent("opt/tools")
        let texts = [
            "share/bash-completion/completions/mergectl": ["completion", "bash"],
            "share/zsh/site-functions/_mergectl": ["completion", "zsh"],
            "share/fish/vendor_completions.d/mergectl.fish": ["completion", "fish"],
            "share/man/man1/mergectl.1": ["manual"],
        ]
        for (path, arguments) in texts {
            let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            #expect(try text == ToolRun.mergectl(arguments).output)
        }
        let installed = root.appendingPathComponent("bin/mergectl").path
        let version = try InstalledProgram.run(installed, ["--version"])
        #expect(try version.output == ToolRun.mergectl(["--version"]).output, "\(version.errors)")
        #expect(try make(["uninstall"] + places).code == 0)
        let left = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
        #expect(left == [])
        let wrong = try make(["install", "MERGECTL=\(tool)", "PREFIX=tools"])
        #expect(wrong.code != 0 && wrong.errors.contains("PREFIX is a path from the root"))
    }
}
