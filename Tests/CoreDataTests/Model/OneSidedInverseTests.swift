import Foundation
import Testing

@testable import CoreData

/// Models of shipped apps with an inverse that does not lead back.
@Suite struct OneSidedInverseTests {
    /// `Image.artist` names `Artist.thumbnail`, which names `Image.thumbnail`.
    private static let gallery = """
        <model><entity name="Artist"><attribute name="name" attributeType="String"/>
        <relationship name="images" optional="YES" toMany="YES" destinationEntity="Image"
        inverseName="artist" inverseEntity="Image"/>
        <relationship name="thumbnail" optional="YES" maxCount="1" destinationEntity="Image"
        inverseName="thumbnail" inverseEntity="Image"/></entity>
        <entity name="Image"><attribute name="name" attributeType="String"/>
        <relationship name="artist" optional="YES" maxCount="1" destinationEntity="Artist"
        inverseName="thumbnail" inverseEntity="Artist"/>
        <relationship name="thumbnail" optional="YES" maxCount="1" destinationEntity="Artist"
        inverseName="thumbnail" inverseEntity="Artist"/></entity></model>
        """

    @Test func itIsReadWithAWarningInBothForms() throws {
        let model = try readModel(Self.gallery)
        let expected = [
            "Artist.images: the inverse \"artist\" does not lead back to it, but to \"thumbnail\"; "
                + "set the inverse at both ends.",
            "Image.artist: the inverse \"thumbnail\" does not lead back to it, but to "
                + "\"thumbnail\"; set the inverse at both ends.",
        ]
        #expect(model.unrecognizedParts == expected)
        let compiled = NSManagedObjectModel()
        let (data, omissions) = ModelArchiveWriter.data(model, .compiled)
        #expect(omissions == [])
        try ModelArchiveReader.read(data, into: compiled)
        #expect(compiled.unrecognizedParts == expected)
        for model in [model, compiled] {
            let artist = model.entitiesByName["Image"]?.relationshipsByName["artist"]
            #expect(artist?.inverseRelationship?.name == "thumbnail")
            #expect(artist?.inverseRelationship?.entity.name == "Artist")
        }
        #expect(compiled.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(NSManagedObjectModel(byMerging: [model])?.entities.count == 2)
    }

    /// Hashes say what each side declares, so they are those of a model where it leads back.
    @Test func itsVersionHashIsThatOfTheDeclaration() throws {
        let whole = try readModel(
            """
            <model><entity name="Artist"><relationship name="thumbnail" optional="YES" maxCount="1"
            destinationEntity="Image" inverseName="artist" inverseEntity="Image"/></entity>
            <entity name="Image"><relationship name="artist" optional="YES" maxCount="1"
            destinationEntity="Artist" inverseName="thumbnail" inverseEntity="Artist"/></entity>
            </model>
            """
        )
        let model = try readModel(Self.gallery)
        let hashes = [whole, model].map {
            $0.entitiesByName["Image"]?.relationshipsByName["artist"]?.versionHash
        }
        #expect(hashes[0] != nil && hashes[0] == hashes[1])
    }

    @Test func eachSideKeepsWhatItIsSetTo() throws {
        let model = try readModel(Self.gallery)
        let fixture = try MigrationFixture(model) { context in
            let ann = context.insert("Artist", ["name": "Ann"])
            let bob = context.insert("Artist", ["name": "Bob"])
            let images = ["a", "b", "c"].map { context.insert("Image", ["name": $0]) }
            images[0].setValue(ann, forKey: "artist")
            images[1].setValue(ann, forKey: "artist")
            bob.setValue(Set([images[2]]), forKey: "images")
            ann.setValue(images[2], forKey: "thumbnail")
            #expect(images[2].object("thumbnail") === ann)
            #expect(images[2].object("artist") === bob)
            #expect(ann.texts("images") == ["a", "b"])
            #expect(images.map { $0.object("artist")?.text("name") } == ["Ann", "Ann", "Bob"])
        }
        #expect(
            try fixture.shell("SELECT name FROM pragma_table_info('ZIMAGE') ORDER BY name")
                == ["ZARTIST", "ZNAME", "ZTHUMBNAIL", "Z_ENT", "Z_OPT", "Z_PK"]
        )
        try fixture.open(model) { context in
            let artists = try context.objects("Artist", by: "name")
            #expect(artists.map { $0.texts("images") } == [["a", "b"], ["c"]])
            #expect(artists[0].object("thumbnail")?.text("name") == "c")
            let images = try context.objects("Image", by: "name")
            #expect(images[2].object("thumbnail") === artists[0])
            #expect(images[2].object("artist") === artists[1])
            context.delete(images[2])
            try context.save()
            #expect(artists[0].object("thumbnail") == nil)
            #expect(artists[1].texts("images") == [])
        }
    }

    @Test func aStoreMigratesWithIt() throws {
        let model = try readModel(Self.gallery)
        let fixture = try MigrationFixture(model) { context in
            let ann = context.insert("Artist", ["name": "Ann"])
            for name in ["a", "b"] { context.insert("Image", ["name": name, "artist": ann]) }
        }
        let later = try readModel(
            Self.gallery.replacingOccurrences(
                of: "<entity name=\"Image\">",
                with: "<entity name=\"Image\"><attribute name=\"size\" optional=\"YES\" "
                    + "attributeType=\"Double\"/>"
            )
        )
        try fixture.migrate(to: later)
        try fixture.open(later) { context in
            let artists = try context.objects("Artist", by: "name")
            #expect(artists.map { $0.texts("images") } == [["a", "b"]])
        }
        try fixture.expectDefinitions(ofNew: later)
    }

    /// In code the inverse is often set at one end only.
    @Test func anInverseThatNamesNoneGoesAlong() throws {
        let note = makeEntity("Note", [makeAttribute("name")])
        let tag = makeEntity("Tag", [makeAttribute("name")])
        let tags = makeRelationship("tags", to: tag, many: true)
        let note2 = makeRelationship("note", to: note)
        note.properties.append(tags)
        tag.properties.append(note2)
        tags.inverseRelationship = note2
        let model = makeModel([note, tag])
        let fixture = try MigrationFixture(model) { context in
            let first = context.insert("Note", ["name": "n"])
            let tag = context.insert("Tag", ["name": "t", "note": first])
            #expect(first.texts("tags") == ["t"])
            #expect(tag.object("note") === first)
        }
        try fixture.open(model) { context in
            let notes = try context.objects("Note", by: "name")
            #expect(notes.map { $0.texts("tags") } == [["t"]])
        }
    }
}
