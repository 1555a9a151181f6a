import Foundation
import Testing

/// The targets of the package as the table of Docs/Architecture.md draws them: what each imports of
/// the others.
@Suite struct TargetTests {
    @Test func targetsImportOnlyWhatTheirRowsName() throws {
        let (table, sources) = try Self.read()
        let rows = Dictionary(
            uniqueKeysWithValues: table.rows.flatMap { row in row.rooms.map { ($0, row.uses) } }
        )
        let targets = Set(table.rooms)
        for found in sources.imports where targets.contains(found.module) {
            let isAllowed = rows[found.room]?.contains(found.module) == true
            #expect(
                isAllowed || found.room == found.module,
                """
                \(found.file):\(found.line): the target \(found.room) imports \(found.module), \
                which its row in Docs/Architecture.md does not name.
                """
            )
        }
    }

    @Test func everyTargetStandsInTheTableAndEveryRowIsATarget() throws {
        let folder = Checkout.folder.appendingPathComponent("Sources").path
        let folders = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { !$0.hasPrefix(".") }
        #expect(Set(try Self.read().0.rooms) == Set(folders))
    }

    @Test func rowsUseOnlyRowsAboveThem() throws {
        for problem in try Self.read().0.problems { Issue.record("\(problem)") }
    }

    private static func read() throws -> (RoomTable, RoomSources) {
        let page = try Checkout.text("Docs/Architecture.md")
        let table = RoomTable(under: "Targets of the package", of: page)
        let sources = try Checkout.sources("Sources")
        return (table, RoomSources(sources, in: "Sources", rooms: table.rooms))
    }
}
