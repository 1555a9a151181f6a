import Foundation
import Testing

/// `mergectl bench` as a user meets it.
@Suite struct BenchToolTests {
    @Test func reportsAreWritten() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try ToolRun.mergectl([
            "bench", "--rows", "300", "--rounds", "1", "--workloads", "import", "--batch", "50",
            "--categories", "50", "--output", folder.path,
        ])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("main listed the same rows as bare SQLite has"))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["report.csv", "report.html", "report.json", "report.md", "timeline.svg"])
        let csv = try String(
            contentsOf: folder.appendingPathComponent("report.csv"),
            encoding: .utf8
        )
        #expect(csv.contains("import,300,bare,0,300,6,"))
        #expect(csv.contains("import,300,notification-merge,0,300,6,"))
    }

    @Test func aFirstLookHasRoundsAndTakesOtherOptions() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try ToolRun.mergectl([
            "bench", "--quick", "--rows", "200", "--stacks", "notification-merge",
            "--output", folder.path,
        ])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("Import, 200 rows, medians of 3 rounds"))
        #expect(run.output.contains("Editing during an import, 200 rows"))
        #expect(!run.output.contains("Many small saves"))
        let csv = try String(
            contentsOf: folder.appendingPathComponent("report.csv"),
            encoding: .utf8
        )
        #expect(csv.contains("import,200,notification-merge,2,200,2,"))
    }

    @Test func growthIsDrawnAndJudged() throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try ToolRun.mergectl([
            "bench", "--growth", "--quick", "--rows", "400,200", "--output", folder.path,
        ])
        #expect(run.code == 0, "\(run.errors)")
        for text in [
            "ms, by rows", "ms, by background contexts", "ms, by observers",
            "ms, by results controllers", "a  insert, one save", "main merges an import",
            "more of",
        ] {
            #expect(run.output.contains(text), "\(run.output)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["growth.html", "growth.json", "growth.md", "growth.svg"])
        let page = try String(
            contentsOf: folder.appendingPathComponent("growth.html"),
            encoding: .utf8
        )
        // A plot for rows, contexts, observers and results controllers.
        #expect(page.components(separatedBy: "<svg").count == 5)
    }

    @Test(
        arguments: [
            (["--rows", "12"], "needs whole numbers from 100 to 10000000, not \"12\""),
            (["--rows", "100,,200"], "not \"\""),
            (["--workloads", "import,nothing"], "takes import, small-saves, editing, changing"),
            (["--stacks", "mine"], "not \"mine\""),
            (["--categories", "51"], "from 1 to 50"),
            (["--layer", "--rows", "100,200"], "goes with one number of rows"),
            (["--layer", "--quick"], "--layer and --quick exclude each other"),
            (["--layer", "--growth"], "--layer and --growth exclude each other"),
            (["--layer", "--attempts", "2"], "--layer and --attempts exclude each other"),
            (["--attempts", "0"], "from 1 to 1000"),
            (["--layer", "--workers", "2"], "--layer and --workers exclude each other"),
            (["--growth", "--rows", "100"], "goes with two sizes or more"),
            (["--growth", "--workloads", "import"], "--growth and --workloads exclude"),
            (["--rounds", "0"], "from 1 to 100"),
        ]
    )
    func wrongArgumentsAreExplained(_ arguments: [String], _ message: String) throws {
        let run = try ToolRun.mergectl(["bench"] + arguments)
        #expect(run.code == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func aQuestionThatIsNotOneIsRefused() throws {
        let run = try ToolRun.mergectl(["bench", "--single", "{}"])
        #expect(run.code == 1)
        #expect(run.errors.contains("needs what bench itself passes"))
    }
}
