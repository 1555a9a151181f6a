import Foundation
import TestSupport
import Testing

/// What only reads leaves every byte of a store as it is, and nothing beside it; a store in a place
/// where nothing can be written is read as well.
@Suite struct ReadingToolTests {
    /// How a store was left.
    enum State: CaseIterable {
        case closed
        /// As stores were made before write-ahead logs came.
        case rollbackJournal
        /// By a process that was killed: the last save is in the log only.
        case logAndIndex
        /// As a backup may have it.
        case logWithoutIndex

        /// The note's title in this state.
        var title: String { self == .closed || self == .rollbackJournal ? "a" : "b" }

        func bringAbout(_ store: String) throws {
            switch self {
            case .closed: break
            case .rollbackJournal:
                try SQLiteShell.run(URL(fileURLWithPath: store), "PRAGMA journal_mode=DELETE;")
            case .logAndIndex, .logWithoutIndex:
                let statements = "PRAGMA journal_mode=WAL; UPDATE ZNOTE SET ZTITLE = 'b';"
                try HeldStore(store, statements).release()
                let manager = FileManager.default
                #expect(manager.fileExists(atPath: store + "-wal"))
                if self == .logWithoutIndex { try manager.removeItem(atPath: store + "-shm") }
            }
        }
    }

    /// The commands, and what each of them prints or exports.
    private static func readings(
        _ store: String,
        _ models: URL,
        into out: String
    ) -> [(arguments: [String], text: (State) -> String)] {
        let model = models.path + "/Notes.xcdatamodel"
        let dryRun = ["migrate", store, "--dry-run", "--to"]
        return [
            (["inspect", store], { _ in "Note  1" }),
            (["inspect", store, "--model", model], { _ in "Note  1" }),
            (["inspect", store, "--format", "json"], { _ in "\"objectCount\" : 1" }),
            (["fetch", "Note", "--store", store, "--columns", "title"], { "\n\($0.title)\n" }),
            (["fetch", "Note", "--store", store, "--model", model, "--count"], { _ in "1\n" }),
            (["fetch", "Note", "--store", store, "--min", "title"], { $0.title }),
            (["export", out, "--entity", "Note", "--store", store], { _ in "1 rows" }),
            (["model", "show", store], { _ in "attribute body" }),
            (["model", "hashes", store], { _ in "Note" }),
            (["model", "diff", store, model], { _ in "The models say the same." }),
            (dryRun + [model], { _ in "of this version already" }),
            (dryRun + [models.path + "/Notes 2.xcdatamodel"], { _ in "Nothing was written." }),
        ]
    }

    /// Runs the commands over a store, each of which leaves the folder's bytes.
    private func checkReadings(
        _ state: State,
        _ store: String,
        _ models: URL,
        _ run: ([String]) throws -> ToolRun
    ) throws {
        let desk = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: desk) }
        // For another user, too.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: desk.path)
        let out = desk.appendingPathComponent("out.csv").path
        let folder = URL(fileURLWithPath: store).deletingLastPathComponent()
        let index = (store as NSString).lastPathComponent + "-shm"
        // A log's index is no part of the store: whoever reads the log notes in it how far, and
        // makes it if it is not there.
        func contents() throws -> FolderContents {
            let contents = try FolderContents(folder)
            return state.title == "b" ? contents.without(index) : contents
        }
        let before = try contents()
        for (arguments, text) in Self.readings(store, models, into: out) {
            let result = try run(arguments)
            #expect(result.code == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
            #expect(result.output.contains(text(state)), "\(arguments): \(result.output)")
            let after = try contents()
            #expect(after == before, "\(arguments) leaves \(after.names)")
        }
        let exported = try String(contentsOf: URL(fileURLWithPath: out), encoding: .utf8)
        #expect(exported.contains("\n\(state.title),") || exported.contains(",\(state.title)"))
    }

    @Test(.enabled(if: SQLiteShell.isThere), arguments: State.allCases)
    func readingChangesNoByte(of state: State) throws {
        try NotesStore.with { store, models in
            try state.bringAbout(store)
            try checkReadings(state, store, models, ToolRun.mergectl)
        }
    }

    @Test(
        .enabled(
            if: SQLiteShell.isThere && OtherUser.isThere,
            "root needs setpriv, and nobody a way to the tool and the folder of temporary files"
        ),
        arguments: State.allCases
    )
    func aCopyThatCannotBeWrittenIsRead(in state: State) throws {
        try NotesStore.with { store, models in
            try state.bringAbout(store)
            let manager = FileManager.default
            let place = URL(fileURLWithPath: store).deletingLastPathComponent()
            let closed = place.appendingPathComponent("Closed")
            try manager.createDirectory(at: closed, withIntermediateDirectories: true)
            for name in try NotesStore.stores(beside: store) {
                try manager.copyItem(
                    at: place.appendingPathComponent(name),
                    to: closed.appendingPathComponent(name)
                )
            }
            for name in try manager.subpathsOfDirectory(atPath: closed.path) {
                let path = closed.appendingPathComponent(name).path
                var isFolder: ObjCBool = false
                _ = manager.fileExists(atPath: path, isDirectory: &isFolder)
                guard !isFolder.boolValue else { continue }
                try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
            }
            let copy = closed.appendingPathComponent("Notes.sqlite").path
            try OtherUser.with(0o555, closed.path) {
                // Else the test would show nothing.
                let touch = try OtherUser.run(["touch", copy + "-new"])
                #expect(touch.code != 0)
                try checkReadings(state, copy, models, OtherUser.mergectl)
            }
        }
    }
}
