import Testing

/// The rooms of a library as the tables of Docs/Architecture.md draw them.
@Suite struct RoomTests {
    struct House: Sendable, CustomTestStringConvertible {
        let folder: String
        let heading: String
        /// How many rooms Apple's API forces into one knot.
        let largestKnot: Int
        var testDescription: String { folder }

        func table() throws -> RoomTable {
            RoomTable(under: heading, of: try Checkout.text("Docs/Architecture.md"))
        }

        func sources(_ table: RoomTable) throws -> RoomSources {
            RoomSources(try Checkout.sources(folder), in: folder, rooms: table.rooms)
        }
    }
    static let houses = [
        House(folder: "Sources/CoreData", heading: "Rooms of `CoreData`", largestKnot: 5),
        House(folder: "Sources/MergeStack", heading: "Rooms of `MergeStack`", largestKnot: 1),
        House(folder: "Sources/MergeExchange", heading: "Rooms of `MergeExchange`", largestKnot: 1),
    ]

    @Test(arguments: houses)
    func roomsNameOnlyWhatLiesBelowThem(house: House) throws {
        let table = try house.table()
        for message in Self.wrongArrows(table, try house.sources(table)) {
            Issue.record("\(message)")
        }
    }

    @Test(arguments: houses)
    func everyRoomStandsInTheTableAndEveryRowIsARoom(house: House) throws {
        let table = try house.table()
        for message in Self.differences(table, try house.sources(table), house.folder) {
            Issue.record("\(message)")
        }
    }

    @Test(arguments: houses)
    func rowsUseOnlyRowsAboveThem(house: House) throws {
        for problem in try house.table().problems { Issue.record("\(problem)") }
    }

    @Test(arguments: houses)
    func thereIsOneKnotAtMost(house: House) throws {
        let knots = try house.table().rows.filter { $0.rooms.count > 1 }
        #expect(knots.count <= 1)
        #expect(knots.allSatisfy { $0.rooms.count <= house.largestKnot })
    }

    // MARK: What is wrong

    private static func wrongArrows(_ table: RoomTable, _ sources: RoomSources) -> [String] {
        sources.arrows.filter { !table.allows($0.room, $0.other) }.map {
            "\($0.file):\($0.line): the room \($0.room) names \($0.type) of the room \($0.other), "
                + "which its row in Docs/Architecture.md does not allow: move the type or the "
                + "member that names it, or give the lower room a protocol of its own."
        }
    }

    private static func differences(
        _ table: RoomTable,
        _ sources: RoomSources,
        _ folder: String
    ) -> [String] {
        let rooms = Set(table.rooms)
        // What only names other modules may stand beside the rooms.
        let missing = sources.names.subtracting(rooms).subtracting([""]).sorted().map {
            "The folder \(folder)/\($0) is no room of the table in Docs/Architecture.md: add a row."
        }
        let empty = rooms.subtracting(sources.names).sorted().map {
            "The room \($0) of the table in Docs/Architecture.md has no files in \(folder)/\($0)."
        }
        return missing + empty
    }

    // MARK: The check itself

    private static let page = """
        ## Rooms

        | room | what | may use |
        | --- | --- | --- |
        | `Ground` | | |
        | `Low` | | Ground |
        | `Left`, `Right` | | Low |
        | `Top` | | Left |

        ## Others
        | `Elsewhere` | | |
        """

    private static func check(_ sources: [String: String]) -> [String] {
        let table = RoomTable(under: "Rooms", of: page)
        return wrongArrows(table, RoomSources(sources, in: "Sources", rooms: table.rooms))
    }

    @Test func arrowsDownAndWithinAKnotAreAllowed() {
        let found = Self.check([
            "Ground/A.swift": "struct Base {}",
            "Low/B.swift": "struct Part { var base: Base }",
            "Left/C.swift": "class Whole { var part: Part?; var other: Other? }",
            "Right/D.swift": "class Other { var whole: Whole?; var base: Base }",
            "Top/E.swift": "func f(_ whole: Whole, _ base: Base) -> Part? { whole.part }",
        ])
        #expect(found == [])
    }

    @Test func anArrowUpIsToldWithItsFileAndLine() {
        let found = Self.check([
            "Low/B.swift": "// Top here\nlet text = \"Summit \\(Summit.self)\"\n",
            "Top/E.swift": "public enum Summit {\n    struct Inner {}\n}",
        ])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("Sources/Low/B.swift:2: the room Low names Summit") == true)
    }

    @Test func roomsOfOneKnotAreNotReachedFromAboveByOneOfThem() {
        let found = Self.check([
            "Right/D.swift": "class Other {}",
            "Top/E.swift": "let other = Other()",
        ])
        #expect(found.count == 1)
    }

    @Test func namesInCommentsAndStringsAndOfMembersCountForNothing() {
        let found = Self.check([
            "Low/B.swift": "/* Summit */ let a = \"Summit\", b = Outer.Summit.self",
            "Top/E.swift": "enum Summit {}",
        ])
        #expect(found == [])
    }

    @Test func aRoomThatTheTableLacksIsTold() {
        let table = RoomTable(under: "Rooms", of: Self.page)
        let sources = RoomSources(
            ["New/A.swift": "", "Ground/A.swift": "", "Low/A.swift": "", "Left/A.swift": ""],
            in: "Sources",
            rooms: table.rooms
        )
        let found = Self.differences(table, sources, "Sources")
        #expect(found.count == 3)
        #expect(found.first?.contains("Sources/New is no room") == true)
    }

    @Test func aRowThatUsesAHigherOneIsTold() {
        let page = "## R\n| `Low` | | High |\n| `High` | | |"
        #expect(RoomTable(under: "R", of: page).problems.count == 1)
    }
}
