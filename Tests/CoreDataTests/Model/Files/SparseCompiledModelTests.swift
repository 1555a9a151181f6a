import TestSupport
import Testing

@testable import CoreData

/// Compiled models that leave out what has a default, or have it in another form.
@Suite struct SparseCompiledModelTests {
    /// Reads a model with one entity.
    private func read(
        _ properties: [(String, CraftedValue)],
        entity fields: [String: CraftedValue] = [:],
        model: [String: CraftedValue] = [:]
    ) throws -> NSManagedObjectModel {
        var entity = fields
        entity["NSEntityName"] = "Note"
        entity["NSProperties"] = .dictionary(
            properties.map { (.plain(.string($0.0)), $0.1) }
        )
        let root = CraftedValue.object(
            "NSManagedObjectModel",
            model.merging(
                ["NSEntities": ["Note": .object("NSEntityDescription", entity)]]
            ) { own, _ in own }
        )
        let result = NSManagedObjectModel()
        try ModelArchiveReader.read(root.archive, into: result)
        return result
    }

    private static let title = CraftedValue.object(
        "NSAttributeDescription",
        ["NSPropertyName": "title", "NSAttributeType": 700]
    )

    private static func request(_ fields: [String: CraftedValue]) -> CraftedValue {
        .object("NSFetchRequest", fields)
    }

    @Test func propertiesHaveDefaults() throws {
        let relationship = CraftedValue.object(
            "NSRelationshipDescription",
            ["NSPropertyName": "notes", "_NSDestinationEntityName": "Note"]
        )
        let model = try read([
            ("bare", .object("NSAttributeDescription", ["NSPropertyName": "bare"])),
            ("notes", relationship),
        ])
        let note = try #require(model.entitiesByName["Note"])
        let bare = try #require(note.attributesByName["bare"])
        #expect(bare.attributeType == .undefinedAttributeType && !bare.isOptional)
        #expect(!bare.allowsExternalBinaryDataStorage && bare.defaultValue == nil)
        let notes = try #require(note.relationshipsByName["notes"])
        #expect(notes.deleteRule == .nullifyDeleteRule && notes.isToMany && !notes.isOrdered)
        #expect(notes.destinationEntity === note && notes.inverseRelationship == nil)
        #expect(model.unrecognizedParts.isEmpty)
    }

    @Test func indexesHaveDefaults() throws {
        let element = CraftedValue.object(
            "NSFetchIndexElementDescription",
            ["NSPropertyName": "title"]
        )
        let indexes: [CraftedValue] = [
            .object("NSFetchIndexDescription", ["NSIndexName": "none"]),
            .object(
                "NSFetchIndexDescription",
                ["NSIndexName": "byTitle", "NSIndexElements": [element]]
            ),
        ]
        let model = try read(
            [("title", Self.title)],
            entity: ["NSFetchIndexDescriptions": .list(indexes)]
        )
        let read = try #require(model.entitiesByName["Note"]?.indexes)
        // An index over one attribute asks for one of the attribute's own name as well.
        #expect(read.map(\.name) == ["none", "byTitle", "title"])
        #expect(read[0].elements.isEmpty)
        #expect(read[1].elements.map(\.isAscending) == [true])
        #expect(read[1].elements.map(\.collationType) == [.binary])
    }

    @Test func requestsHaveDefaults() throws {
        let property = CraftedValue.object("NSAttributeDescription", ["NSPropertyName": "title"])
        let fetched = CraftedValue.object(
            "NSFetchedPropertyDescription",
            [
                "NSPropertyName": "same", "_NSFetchRequestEntityName": "Note",
                "NSFetchRequest": Self.request([:]),
            ]
        )
        let entity = CraftedValue.object("NSEntityDescription", ["NSEntityName": "Note"])
        let template = Self.request([
            "NSEntity": entity, "NSHavingPredicate": .object("NSTruePredicate"),
            "NSValuesToFetch": [property, .object("NSMutableString", ["NS.string": "title"])],
            "NSValuesToGroupBy": ["title"],
        ])
        let model = try read(
            [("title", Self.title), ("same", fetched)],
            model: ["NSFetchRequestTemplates": ["all": template]]
        )
        let all = try #require(model.fetchRequestTemplate(forName: "all"))
        #expect(all.fetchLimit == 0 && all.fetchOffset == 0 && all.fetchBatchSize == 0)
        #expect(all.havingPredicate == NSPredicate(value: true) && all.predicate == nil)
        #expect(
            all.propertiesToFetch?.compactMap { ($0 as? NSPropertyDescription)?.name } == [
                "title", "title",
            ]
        )
        #expect(
            all.propertiesToGroupBy?.compactMap { ($0 as? NSPropertyDescription)?.name } == [
                "title"
            ]
        )
        let same =
            model.entitiesByName["Note"]?.propertiesByName["same"] as? NSFetchedPropertyDescription
        #expect(same?.fetchRequest?.entityName == "Note")
    }

    @Test func versionIdentifiersAreTextsOfAnyClass() throws {
        let identifiers: CraftedValue = ["1", .object("NSMutableString", ["NS.string": "2"]), 3]
        let model = try read([], model: ["NSVersionIdentifiers": identifiers])
        #expect(model.versionIdentifiers == ["1", "2"])
        let none = try read([], model: ["NSVersionIdentifiers": [.nothing]])
        #expect(none.versionIdentifiers == [])
    }

    /// Caches keep their keys apart, and a token in place of what is not there.
    @Test func emptySlotsOfACacheAreNoEntities() throws {
        let entities = CraftedValue.object(
            "NSKnownKeysDictionary1",
            [
                "searchMapping": .object(
                    "NSKnownKeysMappingStrategy1",
                    ["keys": ["Gone", "Note"]]
                ),
                "values": [
                    "token", .object("NSEntityDescription", ["NSEntityName": "Note"]),
                ],
                "emptyToken": "token",
            ]
        )
        let model = try read([], model: ["NSEntities": entities])
        #expect(model.entities.map(\.name) == ["Note"])
    }

    /// References to rows keep an entity's place in sixteen bits.
    @Test func entitiesAreLimited() {
        let builder = KeyedArchiveBuilder()
        let entities = (0...65_535).map { number in
            let name = PropertyListValue.string("E\(number)")
            return (
                key: name,
                value: builder.object(["NSEntityDescription", "NSObject"], ["NSEntityName": name])
            )
        }
        let root = builder.object(
            ["NSManagedObjectModel", "NSObject"],
            ["NSEntities": builder.dictionary(entities)]
        )
        let data = builder.data(root: root)
        let error = #expect(throws: ArchiveError.self) {
            try ModelArchiveReader.read(data, into: NSManagedObjectModel())
        }
        #expect(error?.reason == "it has more than 65535 entities")
    }

    @Test func anArchiveOfSomethingElseIsNoModel() {
        for crafted in [.object("NSThing"), "text", .nothing] as [CraftedValue] {
            let error = #expect(throws: ArchiveError.self) {
                try ModelArchiveReader.read(crafted.archive, into: NSManagedObjectModel())
            }
            #expect(error?.reason == "it is a keyed archive, but not of a model")
        }
    }

    @Test func warningsMayBeMissingOrOdd() throws {
        func warnings(_ list: CraftedValue?) throws -> [Any] {
            var fields: [String: CraftedValue] = [
                "NSPropertyName": "title", "NSAttributeType": 700,
                "NSValidationPredicates": [.object("NSTruePredicate")],
            ]
            fields["NSValidationWarnings"] = list
            let model = try read([("title", .object("NSAttributeDescription", fields))])
            let title = try #require(model.entitiesByName["Note"]?.attributesByName["title"])
            #expect(title.validationPredicates == [NSPredicate(value: true)])
            return title.validationWarnings
        }
        for list in [nil, [], [.nothing], [.object("NSNull")]] as [CraftedValue?] {
            #expect(try warnings(list) as? [String] == [""])
        }
        #expect(try warnings(["too long"]) as? [String] == ["too long"])
        #expect(try warnings([.data(1)]) as? [Int] == [0])
    }
}
