import Testing

/// The picture of a save and a merge, and the table of the shapes of a change: a reader finds every
/// type in the file that stands beside it.
@Suite struct PictureTests {
    @Test func typesOfThePictureStandInTheFilesBelowThem() throws {
        let sources = try Self.sources.get()
        let names = try Self.picture().names
        #expect(names.count > 20)
        for message in Self.wrongNames(names, sources) { Issue.record("\(message)") }
    }

    @Test func typesThatThePictureMentionsAreDeclared() throws {
        let sources = try Self.sources.get()
        for name in try Self.picture().mentions where !sources.declare(name) {
            Issue.record("Docs/Images/SaveAndMerge.svg mentions \(name), which nothing declares.")
        }
    }

    @Test func shapesOfAChangeStandInTheFilesOfTheirRows() throws {
        let page = try Checkout.text("Docs/Architecture.md")
        let rows = RoomTable(under: "A merge", of: page).rows
        // One for each thing that is done with a change, and no synonyms.
        #expect((1...5).contains(rows.count))
        let names = rows.flatMap { row in
            row.rooms.flatMap { name in
                row.uses.map { PictureText.Name(text: name, isType: true, file: $0) }
            }
        }
        #expect(names.count == rows.count)
        for message in Self.wrongNames(names, try Self.sources.get()) {
            Issue.record("\(message)")
        }
    }

    @Test func thePageShowsThePicture() throws {
        let page = try Checkout.text("Docs/Architecture.md")
        #expect(page.contains("](Images/SaveAndMerge.svg)"))
    }

    private static let sources: Result<NamedSources, any Error> = Result {
        NamedSources(try Checkout.sources("Sources"))
    }

    private static func picture() throws -> PictureText {
        PictureText(try Checkout.text("Docs/Images/SaveAndMerge.svg"))
    }

    private static func wrongNames(
        _ names: [PictureText.Name],
        _ sources: NamedSources
    ) -> [String] {
        names.compactMap { name in
            guard !name.file.isEmpty else {
                return "No file stands below \(name.text) in Docs/Images/SaveAndMerge.svg: add it."
            }
            guard sources.has(file: name.file) else {
                return "\(name.file), where \(name.text) should stand, is no file of Sources."
            }
            guard !name.isType || sources.declare(name.text) else {
                return "Nothing in Sources declares the type \(name.text) of \(name.file): draw "
                    + "and describe what there is in Docs/Architecture.md."
            }
            guard !sources.file(name.file, has: name) else { return nil }
            return "\(name.file) neither declares nor extends \(name.text): name the file that "
                + "does, in Docs/Images/SaveAndMerge.svg or Docs/Architecture.md."
        }
    }

    // MARK: The check itself

    private static let example = NamedSources([
        "Room/Plan.swift": "struct Plan { struct Part {} }",
        "Room/Plan+Sorting.swift": "extension Plan { func sort() {} }",
        "Names.swift": "extension Name { static let didSave = Name() }",
    ])

    private static func check(_ elements: String) -> [String] {
        wrongNames(PictureText(elements).names, example)
    }

    @Test func declaredExtendedAndNestedTypesAndMembersAreFound() {
        let found = Self.check(
            """
            <text class="type" x="1">Plan</text><text class="file">Plan.swift</text>
            <text class="type">Plan.Part</text><text class="note">its</text>
            <text class="file">Plan.swift</text>
            <text class="type">Plan</text><text class="file">Plan+Sorting.swift</text>
            <text class="member">didSave</text><text class="file">Names.swift</text>
            """
        )
        #expect(found == [])
    }

    @Test func typesAndFilesThatAreGoneAreTold() {
        let found = Self.check(
            """
            <text class="type">Gone</text><text class="file">Plan.swift</text>
            <text class="type">Plan</text><text class="file">Gone.swift</text>
            <text class="type">Plan.Part</text><text class="file">Plan+Sorting.swift</text>
            <text class="member">didMerge</text><text class="file">Names.swift</text>
            """
        )
        #expect(found.count == 4)
        #expect(found.first?.hasPrefix("Nothing in Sources declares the type Gone") == true)
    }

    @Test func aTypeWithoutAFileIsTold() {
        #expect(Self.check("<text class=\"type\">Plan</text>").count == 1)
    }

    @Test func typesThatAreMentionedAreRead() {
        let text = PictureText("<tspan class=\"also\">Plan</tspan><text class=\"note\">of</text>")
        #expect(text.mentions == ["Plan"])
        #expect(text.names.isEmpty)
    }
}
