import Foundation
import Testing

/// `mergectl import` beside the records that it takes: nested values, cut files, progress, its result
/// as JSON, and a disk that gets full.
@Suite struct ImportReportTests {
    @Test func nestedValuesAreToldOnceWithWhatToDo() throws {
        try ImportDesk.with { desk in
            let lines = (0..<50).map {
                "{\"code\": \"c\($0)\", \"name\": [\"n\"], \"tags\": [1], \"seat\": {\"city\": \"B\"}}"
            }
            let file = try desk.file(
                "continents.jsonl",
                Data(lines.joined(separator: "\n").utf8)
            )
            let run = try desk.importing("Continent", file)
            #expect(run.code == 1)
            let errors = run.errors.split(separator: "\n")
            try #require(errors.count == 3, "\(run.errors)")
            #expect(errors[0].contains("record 1 (c0), name: A list can't be a text."))
            #expect(errors[1] == "50 records of Continent failed:")
            #expect(errors[2].contains("50 records: name: A list can't be a text. In the model"))
            #expect(errors[2].contains("mappedKeyName"))
            #expect(run.output.contains("lists and objects, left out: seat, tags\n"))
            #expect(run.output.contains("mappedKeyName lead to it in the model (seat.name)"))
        }
    }

    @Test func ofACutFileAllCompleteRecordsAreThere() throws {
        try ImportDesk.with { desk in
            let whole = try Data(
                contentsOf: ImportDesk.world.appendingPathComponent("countries.json")
            )
            try desk.importWorld("continents.json", "Continent")
            let file = try desk.file("countries.json", whole.prefix(whole.count - 40))
            let run = try desk.importing("Country", file)
            #expect(run.code == 1)
            #expect(run.errors.contains("1 record of Country failed:"))
            #expect(run.errors.contains("is the file cut off?"))
            #expect(try desk.count("Country") == 251)
        }
    }

    @Test func programsReadTheResultAsJSON() throws {
        try ImportDesk.with { desk in
            func result(_ run: ToolRun) throws -> [String: Any] {
                let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
                return object as? [String: Any] ?? [:]
            }
            let airports = try desk.file("airports.csv", ImportDesk.airports(30))
            let run = try desk.importing("Airport", airports, "--format", "json")
            #expect(run.code == 1)
            let report = try result(run)
            #expect(report["exitCode"] as? Int == 1)
            let file = (report["files"] as? [[String: Any]])?.first ?? [:]
            #expect(file["rows"] as? Int == 30 && file["failed"] as? Int == 30)
            let failures = file["failures"] as? [[String: Any]] ?? []
            #expect(failures.map { $0["count"] as? Int } == [30])
            #expect(failures.first?["missingEntity"] as? String == "Country")
            let empty = try desk.importing(
                "Airport",
                try desk.file("empty.xls", Data()),
                "--format",
                "json"
            )
            #expect(empty.code == 2)
            let ended = (try result(empty)["files"] as? [[String: Any]])?.first?["error"]
            #expect((ended as? String)?.contains("empty.xls") == true)
        }
    }

    @Test func aTerminalShowsRateAndTimeLeftAndAPipeGetsPlainLines() throws {
        try ImportDesk.with { desk in
            try desk.importWorld("continents.json", "Continent")
            try desk.importWorld("countries.json", "Country")
            func shown(_ file: String, columns: Int) throws -> String {
                let terminal = try PseudoTerminal(
                    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                        .appendingPathComponent("mergectl").path,
                    [
                        "import", "--model", ImportDesk.model, "--store", desk.store.path,
                        "--entity",
                        "Airport", "--batch", "10", file,
                    ],
                    in: desk.folder,
                    columns: columns
                )
                #expect(try terminal.finish() == 0)
                return terminal.shown
            }
            // An import that ends before its pace can be told shows none, so a fast machine gets more.
            let moving = #"airports.csv [█░]+ +\d+ % \d+ rows, \d+ a second, \d+ s left"#
            var file = ""
            var wide = ""
            var known = 0
            for count in [3_000, 28_000] where !matches(wide, moving) {
                file = try desk.file("airports.csv", ImportDesk.airports(count))
                wide = try shown(file, columns: 200)
                // The longer file begins with the rows of the shorter one, which are in the store.
                let end = "100 % \(count) rows, \(count - known) created"
                #expect(wide.contains(end), "\(wide)")
                known = count
            }
            #expect(matches(wide, moving), "\(wide)")
            let narrow = try shown(file, columns: 30).split(separator: "\r")
                .filter { $0.hasPrefix("airports.csv ") }
            #expect(
                !narrow.isEmpty && narrow.allSatisfy { $0.prefix { $0 != "\u{1B}" }.count < 30 }
            )
            let again = try desk.importing("Airport", file, "--batch", "10")
            #expect(matches(again.output, #"airports.csv: \d+ %, \d+ rows"#), "\(again.output)")
            #expect(!again.output.contains("\r") && !again.output.contains("\u{1B}"))
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible))
    func aFullDiskSaysWhatIsKept() throws {
        let rows = (0..<20_000).map {
            "{\"code\": \"c\($0)\", \"name\": \"\($0) of many\", \"geonameid\": \($0), \"population\": 1}"
        }
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let desk = ImportDesk(folder: folder)
        let file = try desk.file("many.jsonl", Data(rows.joined(separator: "\n").utf8))
        let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("mergectl").path
        let run = try SmallDisk.run(
            kilobytes: 1_000,
            """
            '\(tool)' import --model '\(ImportDesk.model)' --store World.sqlite --entity Continent '\(file)'
            echo "code $?"
            '\(tool)' fetch --store World.sqlite --format csv Continent | tail -n +2 | wc -l
            """
        )
        #expect(run.output.contains("code 1\n"))
        let kept = run.output.split(separator: "\n").last.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let count = try #require(kept.flatMap { Int($0) }, "\(run.output)")
        #expect(count > 0 && count < 20_000)
        #expect(
            run.errors.contains(
                "The disk of the store is full: \(count) records of many.jsonl are in the store. "
                    + "Free some space, and import the file again to go on."
            ),
            "\(run.errors)"
        )
    }
    private func matches(_ text: String, _ pattern: String) -> Bool {
        text.range(of: pattern, options: .regularExpression) != nil
    }
}
