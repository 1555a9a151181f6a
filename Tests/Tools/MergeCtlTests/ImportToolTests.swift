import Foundation
import TestSupport
import Testing

/// `mergectl import` where records are bad: what it says, how it ends, and what it keeps.
@Suite struct ImportToolTests {
    @Test func theRemedyIsToldOnceForAllRecordsThatNeedIt() throws {
        try ImportDesk.with { desk in
            let airports = try desk.file("airports.csv", ImportDesk.airports(1_500))
            let run = try desk.importing("Airport", airports)
            #expect(run.code == 1)
            let lines = run.errors.split(separator: "\n")
            #expect(lines.count == 12, "Ten of them, what failed, and why.")
            #expect(
                lines[0].contains("airports.csv:2: record 1 (00AA), country: There is no Country")
            )
            #expect(lines[10] == "1,500 records of Airport failed:")
            #expect(
                lines[11]
                    == "  import Country first: 1,500 records name objects of it that are not there "
                    + "(country)"
            )
            try desk.importWorld("continents.json", "Continent")
            try desk.importWorld("countries.json", "Country")
            #expect(try desk.importing("Airport", airports).code == 0)
            #expect(try desk.count("Airport") == 1_500)
        }
    }

    /// Without an index an import takes the longer for each record the more there are.
    @Test(arguments: [false, true])
    func aKeyWithoutAnIndexIsNamed(isIndexed: Bool) throws {
        try ImportDesk.with { desk in
            let model = desk.folder.appendingPathComponent("Notes.xcdatamodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let index = """
                <fetchIndex name="byCode"><fetchIndexElement property="code" type="Binary"/></fetchIndex>
                """
            let source = """
                <?xml version="1.0" encoding="UTF-8"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Note" representedClassName="NSManagedObject">
                <attribute name="code" optional="YES" attributeType="Integer 64"/>
                \(isIndexed ? index : "")
                <userInfo><entry key="relatedByAttribute" value="code"/></userInfo>
                </entity></model>
                """
            try Data(source.utf8).write(to: model.appendingPathComponent("contents"))
            let records = (0..<10_000).map { "\($0)\n" }.joined()
            let run = try ToolRun.mergectl([
                "import", "--model", model.path, "--store", desk.store.path, "--entity", "Note",
                try desk.file("notes.csv", Data("code\n\(records)".utf8)),
            ])
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.errors.contains("Add a fetch index for code to the entity.") == !isIndexed)
        }
    }

    @Test func badRecordsAreLeftOutAndCountedByCause() throws {
        try ImportDesk.with { desk in
            let json = """
                {"code": "EU", "name": "Europe", "geonameid": 6255148, "population": 1},
                7,
                {"code": "AS", "name": "Asia", "geonameid": 6255147, "population": 2},
                {"name": "Nowhere"}
                """
            let file = try desk.file("continents.json", Data("[\(json)]".utf8))
            let run = try desk.importing("Continent", file)
            #expect(run.code == 1)
            #expect(
                run.errors.contains("continents.json:2: record 2: The record is not an object.")
            )
            #expect(run.errors.contains("2 records of Continent failed:"))
            #expect(try desk.count("Continent") == 2)
            #expect(try desk.importing("Continent", file, "--accept-errors").code == 0)
        }
    }

    @Test func whatIsNothingToReadEndsWithTwo() throws {
        try ImportDesk.with { desk in
            for (name, data) in [
                ("empty.csv", Data()), ("empty.json", Data()),
                ("noise.json", Data([0xFE, 0x80, 0x00, 0x9F])),
                ("noise.csv", Data((0..<999).map { UInt8(truncatingIfNeeded: $0 &* 97) })),
            ] {
                let run = try desk.importing("Continent", try desk.file(name, data))
                #expect(run.code == 2, "\(name): \(run.errors)")
                #expect(run.errors.contains(name))
            }
        }
    }

    @Test func anImportStopsAfterTheMostErrorsThatItMayHave() throws {
        try ImportDesk.with { desk in
            let airports = try desk.file("airports.csv", ImportDesk.airports(1_000))
            let run = try desk.importing("Airport", airports, "--max-errors", "20", "--batch", "10")
            #expect(run.code == 1)
            #expect(
                run.errors.contains(
                    "Too many failures: 0 records of airports.csv are in the store."
                )
            )
            #expect(!run.errors.contains("1,000 records"))
        }
    }

    @Test func aDryRunLeavesTheStoreAsItIs() throws {
        try ImportDesk.with { desk in
            try desk.importWorld("continents.json", "Continent")
            let before = try Data(contentsOf: desk.store)
            let countries = ImportDesk.world.appendingPathComponent("countries.json").path
            let run = try desk.importing("Country", countries, "--dry-run")
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.contains("252 created"))
            #expect(try Data(contentsOf: desk.store) == before)
            #expect(try desk.count("Country") == 0)
            let other = ImportDesk(folder: desk.folder.appendingPathComponent("none"))
            let continents = ImportDesk.world.appendingPathComponent("continents.json").path
            #expect(try other.importing("Continent", continents, "--dry-run").code == 0)
            #expect(!FileManager.default.fileExists(atPath: other.store.path))
        }
    }

    @Test func anInterruptedImportSaysWhatItHasKept() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let desk = ImportDesk(folder: folder)
        try desk.importWorld("continents.json", "Continent")
        try desk.importWorld("countries.json", "Country")
        let airports = ImportDesk.world.appendingPathComponent("airports.csv").path
        let tool = try RunningTool([
            "import", "--model", ImportDesk.model, "--store", desk.store.path, "--entity",
            "Airport",
            "--batch", "5", airports,
        ])
        try tool.waitForOutput("rows")
        tool.interrupt()
        let run = try tool.finish()
        #expect(run.code == 130)
        let kept = try desk.count("Airport")
        #expect(kept > 0 && kept < 28_298)
        #expect(
            run.errors.contains("Interrupted: \(kept) records of airports.csv are in the store.")
        )
    }

    @Test func mistypedNamesGetASuggestion() throws {
        #expect(try ToolRun.mergectl(["imprt"]).errors.contains("did you mean import?"))
        #expect(try ToolRun.mergectl(["nonsense"]).errors.contains("see mergectl --help"))
        let run = try ToolRun.mergectl(["fetch", "--stor", "x", "Y"])
        #expect(run.errors.contains("Did you mean --store?") && run.code == 2)
        #expect(try ToolRun.mergectl(["--version"]).output.hasPrefix("mergectl 0."))
    }
}
