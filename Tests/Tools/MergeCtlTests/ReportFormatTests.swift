import Foundation
import TestSupport
import Testing

/// What `mergectl` prints for programs.
@Suite struct ReportFormatTests {
    private func object(_ run: ToolRun) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        return try #require(object as? [String: Any])
    }

    private func names(_ list: Any?) -> [String] {
        (list as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }

    /// The report on a store, by entity.
    private func inspect(_ store: String, _ more: String...) throws -> (
        run: ToolRun, report: [String: Any], entities: [String: [String: Any]]
    ) {
        let run = try ToolRun.mergectl(["inspect", store, "--format", "json"] + more)
        let report = try object(run)
        let entities = report["entities"] as? [[String: Any]] ?? []
        let pairs = entities.map { ($0["name"] as? String ?? "", $0) }
        return (run, report, Dictionary(pairs, uniquingKeysWith: { $1 }))
    }

    @Test func aStoreIsOneObject() throws {
        try NotesStore.with(rowCount: 3) { store, models in
            for more in [[], ["--model", models.path + "/Notes.xcdatamodel"]] {
                let run = try ToolRun.mergectl(["inspect", store, "--format", "json"] + more)
                #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
            }
            let (_, report, entities) = try inspect(store)
            #expect(report["store"] as? String == store)
            #expect(entities.mapValues { $0["objectCount"] as? Int } == ["Note": 3, "Old": 0])
            let note = entities["Note"] ?? [:]
            #expect(names(note["properties"]) == ["body", "scan", "title"])
            let title = (note["properties"] as? [[String: Any]])?.last ?? [:]
            #expect(title["kind"] as? String == "attribute")
            #expect((title["facts"] as? [String: String])?["type"] == "string")
            let file = report["file"] as? [String: Any] ?? [:]
            #expect(file["externalFileCount"] as? Int == 1)
            #expect(file["history"] == nil && file["ownModelProblem"] == nil)
            let metadata = report["metadata"] as? [String: Any] ?? [:]
            #expect(metadata["NSStoreType"] as? String == "SQLite")
            let hashes = metadata["NSStoreModelVersionHashes"] as? [String: String]
            #expect(hashes?["Note"] == note["versionHash"] as? String && hashes?.count == 2)
            let integrity = report["integrity"] as? [String: Any] ?? [:]
            #expect(integrity["isChecked"] as? Bool == true)
            #expect((integrity["problems"] as? [Any])?.isEmpty == true)
        }
    }

    /// The rows of one table are gone, in a file that is whole otherwise.
    @Test(.enabled(if: SQLiteShell.isThere))
    func ofADamagedStoreAllIsToldThatCanBeRead() throws {
        try NotesStore.with(rowCount: 300) { store, models in
            let url = URL(fileURLWithPath: store)
            let sizes = try SQLiteShell.rows(
                url,
                "PRAGMA page_size; SELECT rootpage FROM sqlite_master WHERE name = 'ZNOTE';"
            ).compactMap { UInt64($0) }
            #expect(sizes.count == 2)
            let file = try FileHandle(forUpdating: url)
            try file.seek(toOffset: sizes[0] * (sizes[1] - 1))
            try file.write(contentsOf: Data(repeating: 0xA5, count: Int(sizes[0])))
            try file.close()
            let (run, report, entities) = try inspect(store)
            #expect(run.code == 1)
            #expect(
                run.errors == "mergectl: The store \(store) is damaged; restore it from a backup.\n"
            )
            let problems = (report["integrity"] as? [String: Any])?["problems"] as? [String] ?? []
            #expect(problems.contains { $0.contains("ZNOTE") }, "\(problems)")
            #expect(entities["Note"]?.isEmpty == false && entities["Note"]?["objectCount"] == nil)
            #expect(entities["Old"]?["objectCount"] as? Int == 0)
            #expect((report["metadata"] as? [String: Any])?["NSStoreUUID"] is String)
            // A forecast must not take what can't be counted for nothing.
            let migration = try NotesStore.migrate(store, models, to: "Short", "--dry-run")
            #expect(migration.code == 1 && !migration.output.contains("0 objects"))
            // Not with a model either, which would be opened with it.
            let model = models.path + "/Notes.xcdatamodel"
            #expect(try inspect(store, "--model", model).run.errors == run.errors)
            let text = try ToolRun.mergectl(["inspect", store])
            #expect(text.code == 1 && text.output.contains("NSStoreUUID"), "\(text.output)")
        }
    }

    /// Nothing is left but the beginning of the first page.
    @Test func ofATornOffStoreTheDamageIsTold() throws {
        try NotesStore.with { store, _ in
            let whole = try Data(contentsOf: URL(fileURLWithPath: store))
            try whole.prefix(1_000).write(to: URL(fileURLWithPath: store))
            let (run, report, _) = try inspect(store)
            #expect(run.code == 1 && run.errors.contains("is damaged"), "\(run.errors)")
            let problems = (report["integrity"] as? [String: Any])?["problems"] as? [String]
            #expect(problems?.isEmpty == false)
        }
    }

    @Test func modelsAreShownAndCompared() throws {
        try NotesStore.with { store, models in
            let show = try ToolRun.mergectl(["model", "show", store, "--format", "json"])
            #expect(show.code == 0, "\(show.errors)")
            let model = try object(show)
            #expect(names(model["entities"]) == ["Note", "Old"])
            let note = (model["entities"] as? [[String: Any]])?.first ?? [:]
            #expect(names(note["properties"]) == ["body", "scan", "title"])
            #expect((model["notKnown"] as? [String])?.isEmpty == true)

            let old = models.path + "/Notes.xcdatamodel",
                new = models.path + "/Notes 10.xcdatamodel"
            let diff = try ToolRun.mergectl(["model", "diff", old, new, "--format=json"])
            #expect(diff.code == 0, "\(diff.errors)")
            let changes = try object(diff)
            #expect(changes["needsMigration"] as? Bool == true)
            #expect(changes["removed"] as? [String] == ["Old"])
            #expect(changes["added"] as? [String] == [])
            #expect(names(changes["changed"]) == ["Note"])
            let lines = (changes["changed"] as? [[String: Any]])?.first?["lines"] as? [String]
            #expect(lines?.contains { $0.hasPrefix("+ attribute stars") } == true)

            let hashes = try object(
                ToolRun.mergectl(["model", "hashes", "--format", "json", old])
            )
            #expect(hashes.keys.sorted() == ["Note", "Old"])
            #expect(hashes["Note"] as? String == note["versionHash"] as? String)
        }
    }

    @Test func anotherFormatIsWrongUsage() throws {
        for arguments in [["inspect", "a"], ["model", "show", "a"]] {
            let run = try ToolRun.mergectl(arguments + ["--format", "xml"])
            #expect(run.code == 2 && run.errors.contains("one of text, json"), "\(run.errors)")
        }
    }
}
