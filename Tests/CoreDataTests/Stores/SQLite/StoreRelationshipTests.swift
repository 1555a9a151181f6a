import Foundation
import Testing

@testable import CoreData

@Suite struct StoreRelationshipTests {
    private func related(
        _ fixture: StoreFixture,
        _ entity: String,
        _ name: String,
        _ key: Int64
    ) throws -> [Int64] {
        let layout = try fixture.layout(entity), slot = try fixture.slot(entity, name)
        let references = try fixture.store.related(layout, slot, key)
        // What reads whole rows reads those of the same members, in the same order.
        if let rows = try fixture.store.relatedRows(layout, slot, key) {
            #expect(rows.map(\.reference) == references)
        }
        return references.map(\.primaryKey)
    }

    @Test(arguments: TestedStore.allCases)
    func toOneKeepsTheConcreteEntity(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let dog = try fixture.insert("Dog", [[:]])[0]
        try fixture.insert("Person", [["favourite": .reference(dog.reference)]])
        let store = kind == .sqlite ? try fixture.another() : fixture.store
        defer { if kind == .sqlite { store.close() } }
        let person = try #require(try store.rows(fixture.plan("Person")).first)
        let slot = try fixture.slot("Person", "favourite").index
        #expect(person.reference(slot) == dog.reference)
        #expect(try related(fixture, "Animal", "fans", dog.primaryKey) == [person.primaryKey])
        #expect(try related(fixture, "Dog", "fans", dog.primaryKey) == [person.primaryKey])
    }

    @Test(arguments: TestedStore.allCases)
    func manyToManyIsSeenFromBothEnds(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let people = try fixture.insert("Person", [[:], [:]])
        let tags = try fixture.insert("Tag", [[:], [:], [:]])
        let slot = try fixture.slot("Person", "tags").index
        let back = try fixture.slot("Tag", "people").index
        var changes = StoreChangeSet()
        changes.toManyChanges = [
            .init(
                owner: people[0].reference,
                slot: slot,
                added: [tags[0].reference, tags[1].reference],
                removed: []
            ),
            .init(owner: tags[0].reference, slot: back, added: [people[0].reference], removed: []),
            .init(owner: tags[2].reference, slot: back, added: [people[0].reference], removed: []),
        ]
        try fixture.store.write(changes)
        #expect(try related(fixture, "Person", "tags", 1).sorted() == [1, 2, 3])
        #expect(try related(fixture, "Tag", "people", 3) == [1])
        var removal = StoreChangeSet()
        removal.toManyChanges = [
            .init(owner: tags[1].reference, slot: back, added: [], removed: [people[0].reference])
        ]
        removal.deletes = [.init(reference: tags[0].reference, version: 1)]
        try fixture.store.write(removal)
        #expect(try related(fixture, "Person", "tags", 1) == [3])
        if kind == .sqlite {
            #expect(try fixture.query("SELECT COUNT(*) FROM Z_3TAGS") == ["1"])
        }
    }

    @Test(arguments: TestedStore.allCases)
    func ownInverseIsSeenFromBothSides(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let people = try fixture.insert("Person", [[:], [:], [:]])
        let slot = try fixture.slot("Person", "friends").index
        var changes = StoreChangeSet()
        changes.toManyChanges = [
            .init(
                owner: people[0].reference,
                slot: slot,
                added: [people[1].reference],
                removed: []
            ),
            .init(
                owner: people[1].reference,
                slot: slot,
                added: [people[0].reference],
                removed: []
            ),
        ]
        try fixture.store.write(changes)
        #expect(try related(fixture, "Person", "friends", 1) == [2])
        #expect(try related(fixture, "Person", "friends", 2) == [1])
        var deletion = StoreChangeSet()
        deletion.deletes = [.init(reference: people[0].reference, version: 1)]
        try fixture.store.write(deletion)
        #expect(try related(fixture, "Person", "friends", 2).isEmpty)
    }

    /// The row of each direction is written by either end: the other one may be told of by nobody.
    @Test func oneEndIsEnoughForARelationshipThatIsItsOwnInverse() throws {
        let fixture = try StoreFixture(.sqlite)
        let people = try fixture.insert("Person", [[:], [:]]).map(\.reference)
        let slot = try fixture.slot("Person", "friends").index
        func write(added: [RowReference], removed: [RowReference]) throws {
            var changes = StoreChangeSet()
            changes.toManyChanges = [
                .init(owner: people[0], slot: slot, added: added, removed: removed)
            ]
            try fixture.store.write(changes)
        }
        try write(added: [people[1]], removed: [])
        #expect(try related(fixture, "Person", "friends", 2) == [1])
        try write(added: [], removed: [people[1]])
        #expect(try related(fixture, "Person", "friends", 2).isEmpty)
        #expect(try related(fixture, "Person", "friends", 1).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func toManyWithoutInverseBelongsToOneOwner(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let tags = try fixture.insert("Tag", [[:], [:]])
        let songs = try fixture.insert("Song", [[:], [:]])
        let slot = try fixture.slot("Tag", "attachments").index
        var changes = StoreChangeSet()
        changes.toManyChanges = [
            .init(
                owner: tags[0].reference,
                slot: slot,
                added: songs.map(\.reference),
                removed: []
            )
        ]
        try fixture.store.write(changes)
        #expect(try related(fixture, "Tag", "attachments", 1).sorted() == [1, 2])
        var deletion = StoreChangeSet()
        deletion.deletes = [.init(reference: tags[0].reference, version: 1)]
        try fixture.store.write(deletion)
        #expect(try related(fixture, "Tag", "attachments", 1).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func orderedCollectionsKeepTheirOrder(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let list = try fixture.insert("Playlist", [[:]])[0]
        let songs = try fixture.insert(
            "Song",
            (0..<4).map { _ in ["playlist": .reference(list.reference)] }
        ).map(\.reference)
        let slot = try fixture.slot("Playlist", "songs").index
        func order(_ keys: [Int]) throws {
            var changes = StoreChangeSet()
            changes.toManyChanges = [
                .init(
                    owner: list.reference,
                    slot: slot,
                    added: [],
                    removed: [],
                    order: keys.map { songs[$0] }
                )
            ]
            try fixture.store.write(changes)
        }
        try order([2, 0, 3, 1])
        #expect(try related(fixture, "Playlist", "songs", 1) == [3, 1, 4, 2])
        if kind == .sqlite {
            let places = try fixture.query(
                "SELECT Z_PK, Z_FOK_PLAYLIST FROM ZSONG ORDER BY Z_FOK_PLAYLIST"
            )
            #expect(places == ["3|2048", "1|3072", "4|4096", "2|5120"])
        }
        try order([2, 1, 0, 3])
        #expect(try related(fixture, "Playlist", "songs", 1) == [3, 2, 1, 4])
        if kind == .sqlite {
            let places = try fixture.query("SELECT Z_FOK_PLAYLIST FROM ZSONG ORDER BY Z_PK")
            #expect(places == ["3072", "2560", "2048", "4096"])
        }
        var left = StoreChangeSet()
        let first = try #require(try fixture.store.row(fixture.layout("Song"), 1))
        left.updates = [try fixture.update(first, ["playlist": .null])]
        try fixture.store.write(left)
        #expect(try related(fixture, "Playlist", "songs", 1) == [3, 2, 4])
        if kind == .sqlite {
            #expect(try fixture.query("SELECT Z_FOK_PLAYLIST FROM ZSONG WHERE Z_PK = 1") == [""])
        }
    }

    @Test(arguments: TestedStore.allCases)
    func orderedManyToManyKeepsTheOrderOfItsEnd(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(kind)
        let tags = try fixture.insert("Tag", [[:], [:]]).map(\.reference)
        let lists = try fixture.insert("Playlist", [[:], [:], [:]]).map(\.reference)
        let slot = try fixture.slot("Tag", "playlists").index
        let back = try fixture.slot("Playlist", "labels").index
        var changes = StoreChangeSet()
        changes.toManyChanges = [
            .init(owner: lists[0], slot: back, added: [tags[0], tags[1]], removed: []),
            .init(
                owner: tags[0],
                slot: slot,
                added: lists,
                removed: [],
                order: [lists[2], lists[0], lists[1]]
            ),
        ]
        try fixture.store.write(changes)
        #expect(try related(fixture, "Tag", "playlists", 1) == [3, 1, 2])
        #expect(try related(fixture, "Playlist", "labels", 1).sorted() == [1, 2])
    }

    @Test func placesAreKeptWhereTheyAscend() {
        #expect(OrderPlaces.assign([nil, nil]) == [2048, 3072])
        #expect(OrderPlaces.assign([2048, nil, 3072]) == [2048, 2560, 3072])
        #expect(OrderPlaces.assign([2048, nil, 2049]) == [2048, 3072, 4096])
        #expect(OrderPlaces.assign([3072, 2048, 4096, nil]) == [1024, 2048, 4096, 5120])
        #expect(OrderPlaces.assign([]) == [])
    }
}
