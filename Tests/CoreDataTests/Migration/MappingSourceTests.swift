import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Sources of mapping models, `.xcmappingmodel`, as Xcode writes them.
@Suite struct MappingSourceTests {
    private static let versions = [
        "V1": """
        <entity name="Team"><attribute name="name" attributeType="String" optional="YES"/>
        <relationship name="members" optional="YES" toMany="YES" destinationEntity="Person"
        inverseName="team" inverseEntity="Person"/></entity>
        <entity name="Person"><attribute name="fullName" attributeType="String" optional="YES"/>
        <attribute name="age" attributeType="Integer 32" optional="YES"/>
        <relationship name="team" optional="YES" maxCount="1" destinationEntity="Team"
        inverseName="members" inverseEntity="Team"/></entity>
        <entity name="Guest" parentEntity="Person"/>
        <entity name="Junk"><attribute name="x" attributeType="String" optional="YES"/></entity>
        """,
        "V2": """
        <entity name="Group"><attribute name="title" attributeType="String" optional="YES"/>
        <attribute name="kind" attributeType="String"/>
        <relationship name="members" optional="YES" toMany="YES" destinationEntity="Person"
        inverseName="group" inverseEntity="Person"/></entity>
        <entity name="Person"><attribute name="fullName" attributeType="String" optional="YES"/>
        <attribute name="age" attributeType="Integer 64" optional="YES"/>
        <attribute name="initial" attributeType="String" optional="YES"/>
        <relationship name="group" optional="YES" maxCount="1" destinationEntity="Group"
        inverseName="members" inverseEntity="Group"/>
        <relationship name="first" optional="YES" maxCount="1" destinationEntity="Group"/></entity>
        <entity name="Guest" parentEntity="Person"/>
        <entity name="Note"><attribute name="text" attributeType="String" optional="YES"/></entity>
        """,
    ]

    /// The models, a store of the first version, and the mapping's source beside the models.
    private struct Place {
        let folder: URL
        let models: ModelFolder
        let one: NSManagedObjectModel
        let two: NSManagedObjectModel
        let source: MappingSourceFolder
    }

    private static var entities: [MappingSourceFolder.Entity] {
        let path = MappingSourceFolder.path
        func call(_ mapping: String, _ key: String) -> CoreData.NSExpression {
            MappingSourceFolder.call(
                "manager",
                "destinationInstancesForEntityMappingNamed:sourceInstances:",
                [CoreData.NSExpression(forConstantValue: mapping), path(key, "source")]
            )
        }
        let initial = MappingSourceFolder.call(
            "entityPolicy",
            "initialOf:",
            [path("fullName", "source")]
        )
        return [
            .init(
                source: "Team",
                destination: "Group",
                userInfo: ["step": "2"],
                typed: [
                    "title": path("name", "source"),
                    "kind": CoreData.NSExpression(forConstantValue: "team"),
                ]
            ),
            .init(
                source: "Person",
                destination: "Person",
                policy: "InitialPolicy",
                typed: ["initial": initial, "group": call("TeamToGroup", "team")],
                cleared: ["first"]
            ),
            .init(
                source: "Guest",
                destination: "Guest",
                typed: ["group": call("TeamToGroup", "team")]
            ),
            .init(destination: "Note"),
        ]
    }

    private func withPlace(
        _ entities: [MappingSourceFolder.Entity] = MappingSourceTests.entities,
        _ body: (Place) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("MappingSources-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let models = try ModelFolder(in: folder, versions: Self.versions, current: "V2")
        let one = try models.version("V1"), two = try models.version("V2")
        let source = try MappingSourceFolder(
            "V1toV2",
            in: folder,
            from: one,
            to: two,
            paths: (
                "App/Model.xcdatamodeld/V1.xcdatamodel", "App/Model.xcdatamodeld/V2.xcdatamodel"
            ),
            entities
        )
        try body(Place(folder: folder, models: models, one: one, two: two, source: source))
    }

    private func lines(_ model: NSMappingModel?) -> [String] {
        (model?.entityMappings ?? []).flatMap { mapping in
            let properties =
                (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
            let facts: [String?] = [
                mapping.name, String(mapping.mappingType.rawValue),
                mapping.sourceExpression?.description, mapping.entityMigrationPolicyClassName,
                mapping.userInfo?["step"] as? String,
                mapping.sourceEntityVersionHash?.base64EncodedString(),
                mapping.destinationEntityVersionHash?.base64EncodedString(),
            ]
            return [facts.map { $0 ?? "-" }.joined(separator: " ")] + values(properties)
        }
    }

    private func values(_ mappings: [NSPropertyMapping]?) -> [String] {
        (mappings ?? []).map { "\($0.name ?? "")=\($0.valueExpression?.description ?? "-")" }
    }

    @Test func whatTheEditorLeavesOutIsWorkedOut() throws {
        try withPlace { place in
            let model = try NSMappingModel(readingFrom: place.source.url)
            let mappings = try #require(model.entityMappings)
            #expect(
                mappings.map(\.name) == ["TeamToGroup", "PersonToPerson", "GuestToGuest", "Note"]
            )
            #expect(
                mappings.map(\.mappingType) == [
                    .transformEntityMappingType, .customEntityMappingType, .copyEntityMappingType,
                    .addEntityMappingType,
                ]
            )
            #expect(mappings[0].userInfo?["step"] as? String == "2")
            #expect(mappings[1].entityMigrationPolicyClassName == "InitialPolicy")
            for mapping in mappings {
                #expect(
                    mapping.sourceEntityVersionHash
                        == mapping.sourceEntityName.flatMap {
                            place.one.entityVersionHashesByName[$0]
                        }
                )
                #expect(
                    mapping.destinationEntityVersionHash
                        == mapping.destinationEntityName.flatMap {
                            place.two.entityVersionHashesByName[$0]
                        }
                )
            }
            #expect(
                mappings[0].sourceExpression?.description.contains(
                    "\"fetchRequestForSourceEntityNamed:predicateString:\", \"Team\", "
                        + "\"TRUEPREDICATE\""
                ) == true
            )
            #expect(mappings[3].sourceExpression == nil)
            let function = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
            #expect(
                values(mappings[0].attributeMappings) == ["kind=\"team\"", "title=$source.name"]
            )
            #expect(
                values(mappings[0].relationshipMappings) == [
                    // Persons may be guests, whose mapping is another.
                    "members=FUNCTION($manager, \"\(function)\", \"members\", $source.members)"
                ]
            )
            #expect(
                values(mappings[1].attributeMappings) == [
                    "age=$source.age", "fullName=$source.fullName",
                    "initial=FUNCTION($entityPolicy, \"initialOf:\", $source.fullName)",
                ]
            )
            #expect(values(mappings[1].relationshipMappings).first == "first=-")
            #expect(values(mappings[3].attributeMappings) == ["text=-"])
        }
    }

    @Test func aStoreMigratesByASourceBesideItsModel() throws {
        try withPlace { place in
            let fixture = try MigrationFixture(place.one) { context in
                let team = context.insert("Team", ["name": "t"])
                context.insert("Person", ["fullName": "ann", "age": 3, "team": team])
                context.insert("Guest", ["fullName": "bob", "team": team])
                context.insert("Junk", ["x": "y"])
            }
            let current = try place.models.current()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: current)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: fixture.url,
                options: [NSMigratePersistentStoresAutomaticallyOption: true]
            )
            try coordinator.remove(store)
            try fixture.open(place.two) { context in
                let groups = try context.objects("Group", by: "title")
                #expect(groups.map { $0.text("title") } == ["t"])
                #expect(groups.map { $0.text("kind") } == ["team"])
                #expect(groups.first?.texts("members", "fullName") == ["ann", "bob"])
                let people = try context.objects("Person", by: "fullName")
                #expect(people.map(\.entity.name) == ["Person", "Guest"])
                #expect(people.map { $0.text("initial") } == ["a", nil])
                #expect(people.map { $0.value(forKey: "age") as? Int } == [3, nil])
                #expect(people.map { $0.object("group") } == [groups[0], groups[0]])
            }
        }
    }

    /// A mapping that can't be read may be the one that is meant, and another one, which is inferred,
    /// would bring other values.
    @Test(arguments: ["V1toV2.xcmappingmodel/xcmapping.xml", "Model.xcdatamodeld/V1.xcdatamodel"])
    func whatCannotBeReadBesideTheModelStopsTheMigration(path: String) throws {
        try withPlace { place in
            let fixture = try MigrationFixture(place.one) { $0.insert("Team", ["name": "t"]) }
            let current = try place.models.current()
            var file = place.folder.appendingPathComponent(path)
            if path.hasSuffix("xcdatamodel") { file.appendPathComponent("contents") }
            try FileManager.default.removeItem(at: file)
            // A regular file that nobody can read from its beginning, not even an administrator.
            try FileManager.default.createSymbolicLink(
                atPath: file.path,
                withDestinationPath: "/proc/self/mem"
            )
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: current)
            let error = #expect(throws: CocoaError.self) {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: fixture.url,
                    options: [
                        NSMigratePersistentStoresAutomaticallyOption: true,
                        NSInferMappingModelAutomaticallyOption: true,
                    ]
                )
            }
            #expect(error?.code == .fileReadUnknown)
            try fixture.open(place.one) { context in
                let teams = try context.objects("Team", by: "name")
                #expect(teams.map { $0.text("name") } == ["t"])
            }
        }
    }

    @Test func clientsFindItWhereACompiledOneWouldBe() throws {
        try withPlace { place in
            let expected = lines(try NSMappingModel(readingFrom: place.source.url))
            #expect(!expected.isEmpty)
            let bundle = try #require(Bundle(url: place.folder))
            let url = try #require(bundle.url(forResource: "V1toV2", withExtension: "cdm"))
            #expect(lines(NSMappingModel(contentsOf: url)) == expected)
            let compiled = place.folder.appendingPathComponent("V1toV2.cdm")
            #expect(lines(NSMappingModel(contentsOf: compiled)) == expected)
            let found = NSMappingModel(
                from: [bundle],
                forSourceModel: place.one,
                destinationModel: place.two
            )
            #expect(lines(found) == expected)
            #expect(
                NSMappingModel(
                    from: [bundle],
                    forSourceModel: place.two,
                    destinationModel: place.one
                ) == nil
            )
            #expect(bundle.url(forResource: "Other", withExtension: "cdm") == nil)
        }
    }

    @Test func aCompiledOneSaysTheSameAndComesFirst() throws {
        try withPlace { place in
            let compiled = place.folder.appendingPathComponent("V1toV2.cdm")
            try NSMappingModel.compile(place.source.url, to: compiled)
            let bytes = try Data(contentsOf: compiled)
            #expect(
                lines(try NSMappingModel(readingFrom: compiled))
                    == lines(try NSMappingModel(readingFrom: place.source.url))
            )
            try NSMappingModel.compile(place.source.url, to: compiled)
            #expect(try Data(contentsOf: compiled) == bytes)
            let names = MappingModelFile.urls(in: [place.folder]).map(\.lastPathComponent)
            #expect(names == ["V1toV2.cdm"])
            let error = #expect(throws: CocoaError.self) {
                try NSMappingModel.compile(
                    place.source.url,
                    to: place.folder.appendingPathComponent("V1toV2.mom")
                )
            }
            #expect(error?.code == .featureUnsupported)
        }
    }

    /// The copies in the file are as old as it is.
    @Test func modelsThatWereChangedSinceAreFoundBesideIt() throws {
        try withPlace { place in
            let changed = try changeSecondVersion(place)
            #expect(mappings(place, from: place.one, to: changed)?.count == 4)
        }
    }

    /// What files are between is remembered only as long as they stay as they are.
    @Test func aMappingIsFoundThatDidNotFitBefore() throws {
        try withPlace { place in
            // Files that were written just now are not remembered.
            #expect(mappings(place, from: place.two, to: place.one) == nil)
            #expect(KnownMappingFiles.versions(of: place.source.url) == nil)
            Thread.sleep(forTimeInterval: 3.1)
            #expect(mappings(place, from: place.two, to: place.one) == nil)
            #expect(KnownMappingFiles.versions(of: place.source.url)?.count == 2)
            #expect(mappings(place, from: place.one, to: place.two)?.count == 4)
            let changed = try changeSecondVersion(place)
            #expect(KnownMappingFiles.versions(of: place.source.url) == nil)
            #expect(mappings(place, from: place.one, to: changed)?.count == 4)
        }
    }

    /// The second version with one more attribute.
    private func changeSecondVersion(_ place: Place) throws -> NSManagedObjectModel {
        var versions = Self.versions
        versions["V2"] = versions["V2"]?.replacingOccurrences(
            of: "<attribute name=\"kind\"",
            with: "<attribute name=\"later\" attributeType=\"Date\" optional=\"YES\"/>"
                + "<attribute name=\"kind\""
        )
        return try ModelFolder(in: place.folder, versions: versions, current: "V2").current()
    }

    /// The mappings that a bundle has between two versions.
    private func mappings(
        _ place: Place,
        from source: NSManagedObjectModel,
        to destination: NSManagedObjectModel
    ) -> [NSEntityMapping]? {
        Bundle(url: place.folder).flatMap { bundle in
            NSMappingModel(from: [bundle], forSourceModel: source, destinationModel: destination)?
                .entityMappings
        }
    }

    /// They lead from each member to what became of its team's captain.
    @Test func linksFollowTheFieldsOfTheInspector() throws {
        var entities = Self.entities
        entities[1].cleared = []
        entities[1].fields = ["first": ("$source.team", "TeamToGroup")]
        entities[0].typed["members"] = nil
        entities[0].fields = [
            "members": ("$source.members.@distinctUnionOfSets.team.members", "PersonToPerson")
        ]
        try withPlace(entities) { place in
            let mapping = try NSMappingModel(readingFrom: place.source.url)
            let function = "destinationInstancesForEntityMappingNamed:sourceInstances:"
            #expect(
                values(mapping.entityMappings[1].relationshipMappings).first
                    == "first=FUNCTION($manager, \"\(function)\", \"TeamToGroup\", $source.team)"
            )
            let fixture = try MigrationFixture(place.one) { context in
                let team = context.insert("Team", ["name": "t"])
                context.insert("Person", ["fullName": "ann", "team": team])
                context.insert("Person", ["fullName": "bob"])
            }
            try StoreMigrator(SQLiteStore.self, fixture.url, from: place.one, to: place.two)
                .run(mapping: mapping, infers: false)
            try fixture.open(place.two) { context in
                let people = try context.objects("Person", by: "fullName")
                #expect(people.map { $0.object("first")?.text("title") } == ["t", nil])
                let groups = try context.objects("Group", by: "title")
                #expect(groups.first?.texts("members", "fullName") == ["ann"])
            }
        }
    }

    @Test func aKeyPathThatLeadsNowhereIsNotPassedOver() throws {
        var entities = Self.entities
        entities[1].fields = ["first": ("team", "TeamToGroup")]
        try withPlace(entities) { place in
            let error = #expect(throws: CocoaError.self) {
                try NSMappingModel(readingFrom: place.source.url)
            }
            #expect(error?.localizedDescription.contains("the key path \"team\"") == true)
        }
    }

    @Test func aValueOfAnotherTypeStopsTheMigrationWithASentence() throws {
        var entities = Self.entities
        entities[0].typed["title"] = CoreData.NSExpression(forConstantValue: 3)
        try withPlace(entities) { place in
            let fixture = try MigrationFixture(place.one) { $0.insert("Team", ["name": "t"]) }
            let before = try Data(contentsOf: fixture.url)
            let error = #expect(throws: CocoaError.self) {
                try StoreMigrator(SQLiteStore.self, fixture.url, from: place.one, to: place.two)
                    .run(mapping: try NSMappingModel(readingFrom: place.source.url), infers: false)
            }
            #expect(error?.localizedDescription.contains("Group.title is of another type") == true)
            #expect(try Data(contentsOf: fixture.url) == before)
        }
    }

    @Test func damagedSourcesAreRefused() throws {
        try withPlace { place in
            let file = place.source.url.appendingPathComponent("xcmapping.xml")
            let whole = try Data(contentsOf: file)
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<200 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let index = Int.random(in: bytes.indices, using: &generator)
                    bytes[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
                }
                try bytes.write(to: file)
                _ = NSMappingModel(contentsOf: place.source.url)
            }
            for text in ["no mapping", "<database/>", "<model/>"] {
                try Data(text.utf8).write(to: file)
                let error = #expect(throws: CocoaError.self) {
                    try NSMappingModel(readingFrom: place.source.url)
                }
                #expect(error?.code == .fileReadCorruptFile)
            }
            #expect(NSMappingModel(contentsOf: place.folder.appendingPathComponent("x.cdm")) == nil)
        }
    }

    /// A compiled mapping model of Xcode's, read and written again, says the same.
    @Test(.enabled(if: Samples.areThere("mom"), "needs shared/samples/mom"))
    func writingWhatXcodeWroteChangesNothing() throws {
        let folder = try Samples.url("mom/coredataplus-samplemodel")
        let model = try NSMappingModel(readingFrom: folder.appendingPathComponent("V2toV3.cdm"))
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("Mapping-\(UUID().uuidString).cdm")
        defer { try? FileManager.default.removeItem(at: place) }
        try MappingModelWriter.data(model.entityMappings).write(to: place)
        #expect(lines(try NSMappingModel(readingFrom: place)) == lines(model))
        #expect(lines(model).count == 31)
    }
}

/// Works out what the mapping's expression asks for.
final class InitialPolicy: NSEntityMigrationPolicy {
    override func value(
        ofFunction selector: String,
        arguments: [Any?],
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws -> Any? {
        (arguments.first.flatMap { $0 } as? String).map { String($0.prefix(1)) }
    }
}
