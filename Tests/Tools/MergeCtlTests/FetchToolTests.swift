import Foundation
import Testing

/// `mergectl fetch` as a user meets it.
@Suite struct FetchToolTests {
    private static let world = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/World")
    private static let model = world.appendingPathComponent("World.xcdatamodeld").path

    /// A store with the continents and the countries.
    private func withWorld(
        _ body: (_ fetch: (String...) throws -> ToolRun, _ store: String) throws -> Void
    ) throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent("World.sqlite").path
        for (entity, file) in [("Continent", "continents.json"), ("Country", "countries.json")] {
            let run = try ToolRun.mergectl([
                "import", "--model", Self.model, "--store", store, "--entity", entity,
                Self.world.appendingPathComponent(file).path,
            ])
            #expect(run.code == 0, "\(run.errors)")
        }
        try body({ try ToolRun.mergectl(["fetch", "--store", store] + $0) }, store)
    }

    @Test func columnsAreThoseThatAreNamed() throws {
        try withWorld { fetch, _ in
            let run = try fetch(
                "Country",
                "--where",
                "code == 'CH'",
                "--columns",
                "name,continent.name,continent",
                "--format",
                "csv"
            )
            #expect(run.output == "name,continent.name,continent\nSwitzerland,Europe,EU\n")
            let wrong = try fetch("Country", "--columns", "name,continent.nothing")
            #expect(wrong.code == 1)
            #expect(wrong.errors.contains("no single value \"nothing\""))
            #expect(wrong.errors.contains("name"))
        }
    }

    @Test func rowsComeInTheirOrderPageByPage() throws {
        try withWorld { fetch, store in
            let run = try fetch(
                "Country",
                "--columns",
                "code",
                "--sort",
                "-code",
                "--format",
                "csv"
            )
            let codes = run.output.split(separator: "\n").dropFirst().map(String.init)
            #expect(codes.count == 252)
            #expect(codes == codes.sorted(by: >))
            let json = try fetch("Country", "--columns", "code,name", "--format", "json")
            let rows = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
            #expect((rows as? [[String: Any]])?.count == 252)
            let none = try fetch("Country", "--where", "code == '?'", "--format", "json")
            #expect(none.output == "[]\n")
        }
    }

    @Test func aLimitSaysWhatItLeavesOut() throws {
        try withWorld { fetch, _ in
            let run = try fetch("Country", "--limit", "3", "--format", "csv", "--columns", "code")
            #expect(run.output.split(separator: "\n").count == 4)
            #expect(run.errors == "3 of 252 objects; --limit 0 prints all of them.\n")
            let all = try fetch("Country", "--limit", "0", "--format", "csv", "--columns", "code")
            #expect(all.output.split(separator: "\n").count == 253)
            #expect(all.errors.isEmpty)
        }
    }

    @Test func objectsAreCounted() throws {
        try withWorld { fetch, _ in
            #expect(try fetch("Country", "--count").output == "252\n")
            let some = try fetch("Country", "--count", "--where", "continent.code == 'EU'")
            #expect(Int(some.output.trimmingCharacters(in: .newlines)).map { $0 > 40 } == true)
        }
    }

    @Test func groupsHaveTheirNumberAndAggregates() throws {
        try withWorld { fetch, _ in
            let run = try fetch(
                "Country",
                "--group-by",
                "continent.name",
                "--max",
                "code",
                "--sort",
                "-count",
                "--format",
                "csv"
            )
            let lines = run.output.split(separator: "\n").map(String.init)
            #expect(lines.first == "continent.name,count,max code", "\(run.errors)")
            let counts = lines.dropFirst().compactMap { Int($0.split(separator: ",")[1]) }
            #expect(counts.reduce(0, +) == 252)
            #expect(counts == counts.sorted(by: >))
            let all = try fetch("Country", "--min", "code", "--format", "csv")
            #expect(all.output == "count,min code\n252,AD\n")
            #expect(try fetch("Country", "--avg", "name").errors.contains("no numbers"))
            #expect(try fetch("Country", "--group-by", "name", "--count").code == 2)
        }
    }

    /// A terminal gets some rows, no wider than it is.
    @Test func aTerminalGetsSomeRowsThatFit() throws {
        try withWorld { _, store in
            let terminal = try PseudoTerminal(
                ToolRun.tool.path,
                ["fetch", "--store", store, "Country"],
                in: FileManager.default.temporaryDirectory
            )
            #expect(try terminal.finish() == 0)
            let lines = terminal.shown.components(separatedBy: "\r\n").filter { !$0.isEmpty }
            #expect(lines.last?.hasPrefix("50 of 252 objects") == true, "\(lines.suffix(3))")
            #expect(lines.dropLast().allSatisfy { $0.count <= 200 }, "\(lines.prefix(3))")
            #expect(lines.contains { $0.contains("…") })
        }
    }

    /// What a terminal of some columns shows, and what goes to standard error meanwhile.
    private func shown(_ arguments: [String], columns: Int) throws -> (
        lines: [String], errors: String
    ) {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = "exec \"$0\" \"$@\" 2>errors.txt"
        let terminal = try PseudoTerminal(
            "/bin/sh",
            ["-c", script, ToolRun.tool.path] + arguments,
            in: folder,
            columns: columns
        )
        #expect(try terminal.finish() == 0)
        let errors = try Data(contentsOf: folder.appendingPathComponent("errors.txt"))
        return (
            terminal.shown.components(separatedBy: "\r\n").filter { !$0.isEmpty },
            String(decoding: errors, as: UTF8.self)
        )
    }

    @Test func columnsWithoutRoomAreNamedBelowTheTable() throws {
        try withWorld { fetch, store in
            let names = "name,capital,currencyName,languages,continent.name,tld"
            let query = ["fetch", "--store", store, "Country", "--columns", names, "--limit", "0"]
            // Four columns of six with two between them, and not a character more.
            let narrow = try shown(query, columns: 30)
            #expect(narrow.lines.first == "name    capit…  curre…  langu…")
            #expect(narrow.lines.count == 254 && narrow.lines.allSatisfy { $0.count <= 30 })
            #expect(
                narrow.errors
                    == "Not shown, for want of room: continent.name, tld; --columns chooses.\n"
            )
            #expect(
                try shown(query, columns: 29).errors.contains("room: languages, continent.name")
            )
            // The last one needs three only.
            let wide = try shown(query, columns: 43)
            #expect(wide.errors.isEmpty && wide.lines.allSatisfy { $0.count <= 43 })
            #expect(wide.lines.first?.hasSuffix("  tld") == true, "\(wide.lines.prefix(1))")
            // One is always there.
            #expect(try shown(query, columns: 4).lines.first == "name")
            let groups = ["fetch", "--store", store, "Country", "--group-by", "continent.name"]
            let few = try shown(groups + ["--max", "population"], columns: 12)
            #expect(few.lines.count == 9 && few.lines.allSatisfy { $0.count <= 12 })
            #expect(few.errors.contains("room: count, max population; --format csv prints all"))
            // In a pipe a line has room for all.
            let piped = try ToolRun.mergectl(query)
            #expect(piped.errors.isEmpty && piped.output.contains("  tld\n"))
        }
    }
}
