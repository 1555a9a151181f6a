import Foundation
import Testing

/// The commands that README.md and the pages in Docs show do what they promise when they are typed
/// as they stand.
@Suite struct PageCommandTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let pages: [String] = {
        let docs = package.appendingPathComponent("Docs").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: docs)) ?? []
        return ["README.md", "CONTRIBUTING.md"]
            + names.filter { $0.hasSuffix(".md") }.sorted().map { "Docs/\($0)" }
    }()

    /// What `make` and `swift` build, CI builds: here they only have to know what they are told to
    /// do, with the folder and the target that the page names.
    private static let builders = [
        "make": """
        #!/bin/sh
        exec \(which("make")) -n -C "$PACKAGE" "$@" >"$OUT"
        """,
        "swift": """
        #!/bin/sh
        case "$1" in build | run | test) test -f Package.swift ;; *) exit 1 ;; esac
        """,
    ]

    private static func which(_ name: String) -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(
            separator: ":"
        )
        return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
            ?? name
    }

    /// A folder with the files that the pages speak of, and the tools in `bin`.
    private func makeDesk() throws -> URL {
        let manager = FileManager.default
        let folder = try ToolRun.makeFolder()
        let work = folder.appendingPathComponent("work")
        try manager.copyItem(at: Self.package.appendingPathComponent("Examples/World"), to: work)
        try manager.copyItem(
            at: Self.package.appendingPathComponent("Examples/Starter"),
            to: work.appendingPathComponent("Examples/Starter")
        )
        try JournalSources.write(to: work)
        let bin = folder.appendingPathComponent("bin")
        try manager.createDirectory(at: bin, withIntermediateDirectories: true)
        for (name, script) in Self.builders {
            let file = bin.appendingPathComponent(name)
            try Data(script.utf8).write(to: file)
            try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let tools = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        try manager.createSymbolicLink(
            at: bin.appendingPathComponent("mergectl"),
            withDestinationURL: tools.appendingPathComponent("mergectl")
        )
        // What `swift` is to find where a page runs it from the package's folder.
        try Data().write(to: work.appendingPathComponent("Package.swift"))
        return folder
    }

    private func run(_ script: String, in desk: URL) throws -> (output: String, code: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-e", "-u", "-o", "pipefail", "-c", script]
        process.currentDirectoryURL = desk.appendingPathComponent("work")
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = desk.path + "/bin:" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["HOME"] = desk.path
        environment["PACKAGE"] = Self.package.path
        environment["OUT"] = desk.path + "/make.txt"
        process.environment = environment
        let out = desk.appendingPathComponent("out.txt")
        try Data().write(to: out)
        let handle = try FileHandle(forWritingTo: out)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        return (
            String(decoding: try Data(contentsOf: out), as: UTF8.self), process.terminationStatus
        )
    }

    @Test(arguments: pages) func commandsOnPagesSucceed(page: String) throws {
        let text = try String(
            contentsOf: Self.package.appendingPathComponent(page),
            encoding: .utf8
        )
        let blocks = CommandBlock.all(of: text)
        guard !blocks.isEmpty else { return }
        let desk = try makeDesk()
        defer { try? FileManager.default.removeItem(at: desk) }
        for block in blocks {
            for step in block.steps {
                let (output, code) = try run(step.command, in: desk)
                // `port` says by its code that something is left to a person.
                let isLeft = step.output.contains { $0.contains("Left to you: ") }
                #expect(code == (isLeft ? 1 : 0), "\(page): \(step.command)\n\(output)")
                #expect(
                    step.matches(output),
                    "\(page) shows another output of \(step.command):\n\(output)"
                )
            }
        }
    }

    @Test func theReadmesCommandsAreAmongThem() throws {
        let text = try String(
            contentsOf: Self.package.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let commands = CommandBlock.all(of: text).flatMap(\.steps).map(\.command)
        for start in ["make demo", "make install", "mergectl import"] {
            #expect(commands.contains { $0.hasPrefix(start) }, "\(start)")
        }
    }

    @Test func anOutputThatIsAnotherIsFound() throws {
        let page = """
            ```console
            $ mergectl a
            one …
            …
            last
            ```
            """
        let step = try #require(CommandBlock.all(of: page).first?.steps.first)
        #expect(step.command == "mergectl a")
        #expect(step.matches("one two\nthree\nlast\n"))
        #expect(!step.matches("two\nlast\n"))
        #expect(!step.matches("one two\nthree\n"))
        #expect(!step.matches("one two\nlast\nmore\n"))
    }
}
