import Foundation
import Testing

/// The targets of the package as the table of Docs/Architecture.md draws them: what each imports of
/// the others.
///
/// A target is named after its folder, which lies in `Sources` or in a group of targets there.
@Suite struct TargetTests {
    @Test func targetsImportOnlyWhatTheirRowsName() throws {
        let (table, sources) = try Self.read()
        let rows = Dictionary(
            uniqueKeysWithValues: table.rows.flatMap { row in row.rooms.map { ($0, row.uses) } }
        )
        let targets = Set(table.rooms.map(Self.target))
        for found in sources.imports where targets.contains(found.module) {
            let isAllowed = rows[found.room]?.contains(found.module) == true
            #expect(
                isAllowed || Self.target(found.room) == found.module,
                """
                \(found.file):\(found.line): the target \(found.room) imports \(found.module), \
                which its row in Docs/Architecture.md does not name.
                """
            )
        }
    }

    @Test func everyTargetStandsInTheTableAndEveryRowIsATarget() throws {
        let table = try Self.read().0
        var folders: [String] = []
        for folder in try Checkout.folders(in: "Sources") {
            let isGroup = table.rooms.contains { $0.hasPrefix(folder + "/") }
            let inside = isGroup ? try Checkout.folders(in: "Sources/\(folder)") : []
            folders += isGroup ? inside.map { "\(folder)/\($0)" } : [folder]
        }
        #expect(Set(table.rooms) == Set(folders))
    }

    @Test func rowsUseOnlyRowsAboveThem() throws {
        let table = try Self.read().0
        let targets = RoomTable(
            rows: table.rows.map { .init(rooms: $0.rooms.map(Self.target), uses: $0.uses) }
        )
        for problem in targets.problems { Issue.record("\(problem)") }
    }

    private static func target(_ folder: String) -> String {
        folder.split(separator: "/").last.map(String.init) ?? folder
    }

    private static func read() throws -> (RoomTable, RoomSources) {
        let page = try Checkout.text("Docs/Architecture.md")
        let table = RoomTable(under: "Targets of the package", of: page)
        let sources = try Checkout.sources("Sources")
        return (table, RoomSources(sources, in: "Sources", rooms: table.rooms))
    }
}
