import Foundation
import TestSupport
import Testing

/// What `mergectl` says of a store that is none, and of a file that can't be written.
@Suite struct WrongPlaceTests {
    private static let world = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/World")
    private static let model = world.appendingPathComponent("World.xcdatamodeld").path

    /// Something in the place of a store.
    enum Place: String, CaseIterable {
        case missing, emptyFile, folder, text, otherDatabase, emptyDatabase

        /// What is said of it, and what to do.
        var words: [String] {
            switch self {
            case .missing: ["There is no ", "Check the path"]
            case .emptyFile: ["is empty", "Check the path"]
            case .folder: ["is a folder", "Name the store's file"]
            case .text: ["is not an SQLite database", "check the path"]
            case .otherDatabase: ["Core Data", "heck the path"]
            case .emptyDatabase: ["", "check the path"]
            }
        }

        func make(at url: URL) throws {
            switch self {
            case .missing: break
            case .emptyFile: try Data().write(to: url)
            case .folder:
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            case .text:
                let text = String(repeating: "This is no store. ", count: 100)
                try Data(text.utf8).write(to: url)
            case .otherDatabase:
                try SQLiteShell.run(url, "CREATE TABLE a(b); INSERT INTO a VALUES(1);")
            case .emptyDatabase: try SQLiteShell.run(url, "PRAGMA user_version=3;")
            }
        }
    }

    private static func readings(of store: String) -> [[String]] {
        let out = store + ".csv"
        let lines = [
            ["inspect", store], ["fetch", "Country", "--store", store],
            ["export", out, "--entity", "Country", "--store", store],
            ["watch", "--merges", "1", "--store", store],
        ]
        return lines + lines.map { $0 + ["--model", model] } + [
            ["migrate", store, "--to", model], ["migrate", store, "--to", model, "--dry-run"],
            ["model", "show", store], ["model", "hashes", store], ["model", "diff", model, store],
        ]
    }

    @Test(.enabled(if: SQLiteShell.isThere), arguments: Place.allCases)
    func whatIsNoStoreIsNamedAndLeftAlone(place: Place) throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Place.sqlite")
        try place.make(at: url)
        let before = try FolderContents(folder)
        for arguments in Self.readings(of: url.path) {
            let run = try ToolRun.mergectl(arguments)
            #expect(run.code == 1 && run.output.isEmpty, "\(arguments): \(run.output)")
            #expect(run.errors.hasPrefix("mergectl: "))
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            #expect(run.errors.contains(url.path), "\(arguments): \(run.errors)")
            for text in place.words where !text.isEmpty {
                #expect(run.errors.contains(text), "\(arguments): \(run.errors)")
            }
            #expect(try FolderContents(folder) == before, "\(arguments)")
        }
    }

    @Test(.enabled(if: OtherUser.isThere, "root needs setpriv, and nobody a way to the tool"))
    func aFolderThatMayNotBeLookedIntoIsNamed() throws {
        try NotesStore.with { store, _ in
            let folder = (store as NSString).deletingLastPathComponent
            for arguments in [["inspect", store], ["fetch", "Note", "--store", store]] {
                let run = try OtherUser.with(0o600, folder) { try OtherUser.mergectl(arguments) }
                #expect(run.code == 1)
                #expect(run.errors.contains(store) && run.errors.contains("permissions"))
            }
        }
    }

    /// By a program that was killed, in a store with a journal of the older kind.
    @Test(.enabled(if: SQLiteShell.isThere))
    func aTransactionThatIsHalfDoneIsLeftToAWriter() throws {
        try NotesStore.with(rowCount: 2_000) { store, models in
            let statements =
                "PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN; UPDATE ZNOTE SET ZBODY = 1;"
            try HeldStore(store, statements).release()
            let folder = URL(fileURLWithPath: store).deletingLastPathComponent()
            let before = try FolderContents(folder)
            let model = models.path + "/Notes.xcdatamodel"
            for arguments in [
                ["inspect", store], ["inspect", store, "--model", model],
                ["fetch", "Note", "--store", store], ["model", "show", store],
                ["export", store + ".csv", "--entity", "Note", "--store", store],
                ["watch", "--merges", "1", "--store", store],
                ["migrate", store, "--to", model],
            ] {
                let run = try ToolRun.mergectl(arguments)
                #expect(run.code == 1 && run.output.isEmpty)
                #expect(run.errors.hasPrefix("mergectl: The store \(store) can't be read as it is"))
                #expect(run.errors.contains("sqlite3 and .tables"))
                #expect(try FolderContents(folder) == before, "\(arguments)")
            }
            try SQLiteShell.run(URL(fileURLWithPath: store), ".tables")
            #expect(try NotesStore.values(store).contains("\"body\": \"x\""))
        }
    }

    // MARK: Targets

    /// The commands that write a file into a folder.
    private static func writings(_ store: String, into folder: String) -> [[String]] {
        [
            ["export", folder + "/out.csv", "--entity", "Note", "--store", store],
            ["model", "compile", model, folder + "/Out.mom"],
            ["model", "compile", model, folder + "/Out.momd"],
        ]
    }

    private func check(_ run: ToolRun, _ texts: String...) {
        #expect(run.code == 1 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        for text in texts + ["can't be written"] {
            #expect(run.errors.contains(text), "\(text): \(run.errors)")
        }
    }

    @Test func aTargetWithoutAFolderIsNamed() throws {
        try NotesStore.with { store, _ in
            let folder = (store as NSString).deletingLastPathComponent
            let before = try FolderContents(URL(fileURLWithPath: folder))
            for arguments in Self.writings(store, into: folder + "/none") {
                let run = try ToolRun.mergectl(arguments)
                check(run, folder + "/none/", "there is no folder", "Make it, or name another file")
            }
            for arguments in Self.writings(store, into: store) {
                check(
                    try ToolRun.mergectl(arguments),
                    "\(store) is a file, not a folder",
                    "Move it"
                )
            }
            #expect(try FolderContents(URL(fileURLWithPath: folder)) == before)
        }
    }

    @Test func aFolderInPlaceOfATargetIsNamed() throws {
        try NotesStore.with { store, _ in
            let folder = (store as NSString).deletingLastPathComponent
            // A folder is what a .momd is.
            for arguments in Self.writings(store, into: folder).dropLast() {
                let target = arguments.first {
                    $0.hasPrefix(folder + "/out") || $0.hasSuffix(".mom")
                }
                try FileManager.default.createDirectory(
                    atPath: target ?? "",
                    withIntermediateDirectories: true
                )
                check(try ToolRun.mergectl(arguments), "a folder has this name", target ?? "?")
            }
        }
    }

    /// A model beside a store whose entity has a class.
    private static func modelWithClass(beside store: String) throws -> String {
        let model = (store as NSString).deletingLastPathComponent + "/Classy.xcdatamodel"
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        let text = """
            <model><entity name="Person" representedClassName="Person" codeGenerationType="class"/>
            </model>
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
        return model
    }

    @Test func generateNamesWhatItCannotWrite() throws {
        try NotesStore.with { store, _ in
            let output = (store as NSString).deletingLastPathComponent + "/Classes"
            let model = try Self.modelWithClass(beside: store)
            let arguments = ["generate", model, "--output", output]
            let file = output + "/Person+CoreDataClass.swift"
            try FileManager.default.createDirectory(
                atPath: file,
                withIntermediateDirectories: true
            )
            let run = try ToolRun.mergectl(arguments)
            #expect(run.code == 1)
            #expect(run.errors.contains(file) && run.errors.contains("a folder has this name"))
            #expect(run.errors.contains("Move it away, or name another folder with --output"))
            let into = try ToolRun.mergectl(["generate", model, "--output", store])
            check(into, "\(store) is a file, not a folder", "name another folder with --output")
        }
    }

    @Test(.enabled(if: OtherUser.isThere, "root needs setpriv, and nobody a way to the tool"))
    func aFolderThatMayNotBeWrittenIsNamed() throws {
        try NotesStore.with { store, _ in
            let folder = (store as NSString).deletingLastPathComponent + "/Closed"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            let model = try Self.modelWithClass(beside: store)
            let generate = ["generate", model, "--output", folder]
            for arguments in Self.writings(store, into: folder) + [
                generate, generate.dropLast() + [folder + "/New"],
            ] {
                let run = try OtherUser.with(0o555, folder) { try OtherUser.mergectl(arguments) }
                check(
                    run,
                    "you may not write into the folder \(folder)",
                    "Change its permissions, or"
                )
            }
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "no disk of its own may be mounted"))
    func aFullDiskIsNamed() throws {
        try NotesStore.with(rowCount: 2_000) { store, _ in
            let run = try SmallDisk.run(
                kilobytes: 40,
                "'\(ToolRun.tool.path)' export out.csv --entity Note --store '\(store)'; ls -A"
            )
            #expect(run.errors.contains("The disk of out.csv is full"), "\(run.errors)")
            #expect(run.output.isEmpty, "\(run.output)")
        }
    }

    // MARK: Names

    @Test func anUnknownNameTellsTheNamesThatThereAre() throws {
        try NotesStore.with { store, _ in
            let out = store + ".csv"
            for words in [["fetch", "Nota"], ["export", out, "--entity", "Nota"]] {
                let run = try ToolRun.mergectl(words + ["--store", store])
                #expect(run.code == 1 && run.errors.contains("it has Note, Old"), "\(run.errors)")
            }
            let options = [
                ["fetch", "Note", "--where"], ["fetch", "Note", "--count", "--where"],
                ["fetch", "Note", "--group-by", "title", "--where"],
                ["export", out, "--entity", "Note", "--where"],
            ]
            for words in options {
                let run = try ToolRun.mergectl(words + ["titl == 'a'", "--store", store])
                #expect(run.code == 1 && run.output.isEmpty)
                let expected =
                    "mergectl: Note has no key \"titl\"; it has body, scan, title. "
                    + "Did you mean title?\n"
                #expect(run.errors == expected)
            }
            for option in ["--columns", "--sort", "--group-by", "--max"] {
                let run = try ToolRun.mergectl(["fetch", "Note", "--store", store, option, "titl"])
                #expect(run.code == 1 && run.errors.contains("it has body, scan, title"))
            }
            #expect(!FileManager.default.fileExists(atPath: out))
        }
    }
}
