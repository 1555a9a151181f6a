import Foundation
import Testing

@testable import CoreData

/// Migrations in place of what rows hold themselves.
@Suite struct AttributeMigrationTests {
    private func required(_ name: String, _ value: Any?, _ type: NSAttributeType)
        -> NSAttributeDescription
    {
        let attribute = makeAttribute(name, type, optional: false)
        attribute.defaultValue = value
        return attribute
    }

    @Test func attributesAreAddedRemovedAndRenamed() throws {
        let old = makeModel([
            makeEntity(
                "Note",
                [
                    makeAttribute("title"), makeAttribute("body"),
                    makeAttribute("stars", .integer16AttributeType),
                ]
            )
        ])
        let fixture = try MigrationFixture(old) { context in
            context.insert("Note", ["title": "a", "body": "x", "stars": 3])
            context.insert("Note", ["title": "b"])
        }
        let renamed = makeAttribute("rating", .integer16AttributeType)
        renamed.renamingIdentifier = "stars"
        let new = makeModel([
            makeEntity(
                "Note",
                [
                    makeAttribute("title"), renamed, makeAttribute("added", .dateAttributeType),
                    required("kind", "plain", .stringAttributeType),
                    required("weight", 1.5, .doubleAttributeType),
                ]
            )
        ])
        let uuid = try fixture.shell("SELECT Z_UUID FROM Z_METADATA")
        try fixture.migrate(to: new)
        #expect(
            try fixture.shell(
                "SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZRATING, ZADDED, ZKIND, ZWEIGHT FROM ZNOTE "
                    + "ORDER BY Z_PK"
            ) == ["1|1|1|a|3||plain|1.5", "2|1|1|b|||plain|1.5"]
        )
        #expect(try fixture.shell("SELECT Z_UUID FROM Z_METADATA") == uuid)
        #expect(try fixture.shell("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["2"])
        try fixture.expectDefinitions(ofNew: new)
        try fixture.open(new) { context in
            let notes = try context.objects("Note", by: "title")
            #expect(notes.map { $0.text("title") } == ["a", "b"])
            #expect(notes.first?.value(forKey: "rating") as? Int == 3)
            context.insert("Note", ["title": "c"])
            try context.save()
        }
        #expect(try fixture.shell("SELECT max(Z_PK) FROM ZNOTE") == ["3"])
    }

    @Test func whatBecomesRequiredGetsItsDefault() throws {
        let old = makeModel([makeEntity("Note", [makeAttribute("title"), makeAttribute("body")])])
        let fixture = try MigrationFixture(old) { context in
            context.insert("Note", ["title": "a", "body": "b"])
            context.insert("Note", ["title": "c"])
        }
        let new = makeModel([
            makeEntity(
                "Note",
                [makeAttribute("title"), required("body", "none", .stringAttributeType)]
            )
        ])
        try fixture.migrate(to: new)
        #expect(try fixture.shell("SELECT ZBODY FROM ZNOTE ORDER BY ZBODY") == ["b", "none"])
        let back = makeModel([makeEntity("Note", [makeAttribute("title"), makeAttribute("body")])])
        let problems = InferenceProblem.all(
            in: ModelMatch(source: new.entities, destination: back.entities)
        )
        #expect(problems.isEmpty)
    }

    @Test func whatBecomesRequiredWithoutDefaultIsRefusedIfRowsLackIt() throws {
        let old = makeModel([makeEntity("Note", [makeAttribute("title"), makeAttribute("body")])])
        let fixture = try MigrationFixture(old) { $0.insert("Note", ["title": "a"]) }
        let new = makeModel([
            makeEntity(
                "Note",
                [makeAttribute("title"), makeAttribute("body", optional: false)]
            )
        ])
        let before = try Data(contentsOf: fixture.url)
        let error = #expect(throws: CocoaError.self) { try fixture.migrate(to: new) }
        #expect(error?.errorCode == NSMigrationError)
        #expect(error?.userInfo["entity"] as? String == "Note")
        #expect(error?.userInfo["attribute"] as? String == "body")
        #expect(error?.localizedDescription.contains("Note.body") == true)
        #expect(try Data(contentsOf: fixture.url) == before)
        try fixture.open(old) { context in
            let note = try context.objects("Note", by: "title")
            #expect(note.count == 1)
        }
    }

    @Test func duplicatesStopANewUniquenessConstraint() throws {
        func model(isUnique: Bool) -> NSManagedObjectModel {
            let entity = makeEntity("Note", [makeAttribute("title")])
            if isUnique { entity.uniquenessConstraints = [["title"]] }
            return makeModel([entity])
        }
        let old = model(isUnique: false)
        let fixture = try MigrationFixture(old) { context in
            for title in ["a", "b", "b"] { context.insert("Note", ["title": title]) }
        }
        let error = #expect(throws: CocoaError.self) {
            try fixture.migrate(to: model(isUnique: true))
        }
        #expect(error?.errorCode == NSMigrationConstraintViolationError)
        #expect(error?.localizedDescription.contains("Note") == true)
        #expect(try fixture.shell("SELECT count(*) FROM ZNOTE") == ["3"])
        try fixture.open(old) { context in
            try context.objects("Note", by: "title").dropFirst().prefix(1).forEach(context.delete)
            try context.save()
        }
        let new = model(isUnique: true)
        try fixture.migrate(to: new)
        try fixture.expectDefinitions(ofNew: new)
    }

    @Test func dataMovesIntoTheRowAndOutOfIt() throws {
        func model(isExternal: Bool) -> NSManagedObjectModel {
            let data = makeAttribute("data", .binaryDataAttributeType)
            data.allowsExternalBinaryDataStorage = isExternal
            return makeModel([makeEntity("Photo", [data, makeAttribute("name")])])
        }
        let inside = model(isExternal: false), outside = model(isExternal: true)
        let small = Data([0, 1, 2, 255]), large = Data(repeating: 7, count: 300_000)
        let fixture = try MigrationFixture(inside) { context in
            context.insert("Photo", ["name": "a", "data": small])
            context.insert("Photo", ["name": "b", "data": large])
            context.insert("Photo", ["name": "c"])
            context.insert("Photo", ["name": "d", "data": Data()])
        }
        try fixture.migrate(to: outside)
        func check(_ model: NSManagedObjectModel) throws {
            try fixture.open(model) { context in
                let photos = try context.objects("Photo", by: "name")
                let data = photos.map { $0.value(forKey: "data") as? Data }
                #expect(data == [small, large, nil, Data()])
                photos[1].setValue(large, forKey: "data")
                photos[1].setValue("b2", forKey: "name")
                try context.save()
            }
        }
        try check(outside)
        let back = try MigrationFixture(outside) { context in
            context.insert("Photo", ["name": "a", "data": small])
            context.insert("Photo", ["name": "b", "data": large])
            context.insert("Photo", ["name": "c"])
            context.insert("Photo", ["name": "d", "data": Data()])
        }
        try back.migrate(to: inside)
        #expect(
            try back.shell("SELECT ZNAME, length(ZDATA) FROM ZPHOTO ORDER BY ZNAME")
                == ["a|4", "b|300000", "c|", "d|0"]
        )
        try back.expectDefinitions(ofNew: inside)
    }

    @Test func aFileThatHasLostItsContentBecomesAnEmptyValue() throws {
        func model(isExternal: Bool) -> NSManagedObjectModel {
            let data = makeAttribute("data", .binaryDataAttributeType)
            data.allowsExternalBinaryDataStorage = isExternal
            return makeModel([makeEntity("Photo", [data])])
        }
        let fixture = try MigrationFixture(model(isExternal: true)) { context in
            context.insert("Photo", ["data": Data(repeating: 7, count: 300_000)])
        }
        let folder = fixture.folder.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder,
            includingPropertiesForKeys: nil
        )
        #expect(files.count == 1)
        for file in files { try Data().write(to: file) }
        try fixture.migrate(to: model(isExternal: false))
        #expect(try fixture.shell("SELECT ZDATA = x'' FROM ZPHOTO") == ["1"])
    }

    @Test func aTableThatDoesNotChangeStays() throws {
        func model(_ extra: Bool) -> NSManagedObjectModel {
            makeModel([
                makeEntity("Alpha", [makeAttribute("name")]),
                makeEntity(
                    "Beta",
                    [makeAttribute("name")] + (extra ? [makeAttribute("more")] : [])
                ),
            ])
        }
        let old = model(false)
        let fixture = try MigrationFixture(old) { context in
            context.insert("Alpha", ["name": "a"])
            context.insert("Beta", ["name": "b"])
        }
        _ = try fixture.shell("CREATE INDEX mine ON ZALPHA (ZNAME); CREATE TABLE OTHER (x)")
        let new = model(true)
        try fixture.migrate(to: new)
        #expect(
            try fixture.shell("SELECT tbl_name FROM sqlite_master WHERE name = 'mine'") == [
                "ZALPHA"
            ]
        )
        #expect(
            try fixture.shell("SELECT name FROM sqlite_master WHERE name = 'OTHER'") == ["OTHER"]
        )
        try fixture.open(new) { context in
            let alpha = try context.objects("Alpha", by: "name")
            #expect(alpha.count == 1)
            let beta = try context.objects("Beta", by: "name")
            #expect(beta.count == 1)
        }
    }
}
