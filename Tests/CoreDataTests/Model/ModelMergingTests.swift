import Testing

@testable import CoreData

@Suite struct ModelMergingTests {
    private func library() -> NSManagedObjectModel {
        let item = makeEntity("Item", [makeAttribute("code")])
        let book = makeEntity("Book", parent: item, [makeAttribute("title", optional: false)])
        let shelf = makeEntity("Shelf")
        let shelfOfItem = makeRelationship("shelf", to: shelf)
        let items = makeRelationship("items", to: item, many: true)
        item.properties.append(shelfOfItem)
        shelf.properties = [items]
        connect(shelfOfItem, items)
        let index = NSFetchIndexDescription(
            name: "byCode",
            elements: [.init(property: item.properties[0], collationType: .binary)]
        )
        item.indexes = [index]
        item.uniquenessConstraints = [[item.properties[0]]]
        let model = makeModel([item, book, shelf])
        model.setEntities([shelf], forConfigurationName: "Shelves")
        return model
    }

    @Test func aCopyRefersToItsOwnEntitiesOnly() throws {
        let model = library()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let item = try #require(copy.entitiesByName["Item"])
        let shelf = try #require(copy.entitiesByName["Shelf"])
        #expect(item !== model.entitiesByName["Item"])
        #expect(copy.entitiesByName["Book"]?.superentity === item)
        let toShelf = try #require(item.relationshipsByName["shelf"])
        #expect(toShelf.destinationEntity === shelf)
        #expect(toShelf.inverseRelationship === shelf.relationshipsByName["items"])
        #expect(item.indexes[0].entity === item)
        #expect(item.indexes[0].elements[0].property === item.propertiesByName["code"])
        #expect(item.uniqueKeyGroups == [["code"]])
        #expect(copy.entities(forConfigurationName: "Shelves")?.first === shelf)
        #expect(item.managedObjectModel === copy)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(ModelProblem.first(in: copy) == nil)
    }

    @Test func aCopyOfAnEntityBelongsNowhere() throws {
        let model = library()
        _ = model.layout
        let copy = try #require(model.entitiesByName["Book"]?.copy() as? NSEntityDescription)
        #expect(copy.superentity == nil && copy.model == nil)
        #expect(copy.properties.map(\.name) == ["title"])
        copy.name = "Volume"
        #expect(makeModel([copy]).layout.entities[0].name == "Volume")
    }

    @Test func mergingJoinsModelsAndKeepsTheOriginals() throws {
        let other = makeModel([makeEntity("Person")])
        let merged = try #require(NSManagedObjectModel(byMerging: [library(), other, library()]))
        #expect(merged.entities.compactMap(\.name) == ["Item", "Book", "Shelf", "Person"])
        #expect(other.entities[0].managedObjectModel === other)
        #expect(merged.configurations == ["Shelves"])
        #expect(merged.layout.entities.count == 4)
        #expect(NSManagedObjectModel(byMerging: nil) == nil)
    }

    @Test func mergingTwoDifferentEntitiesOfANameTraps() async {
        await #expect(processExitsWith: .failure) {
            let one = makeModel([makeEntity("Note", [makeAttribute("title")])])
            let other = makeModel([makeEntity("Note", [makeAttribute("body")])])
            _ = NSManagedObjectModel(byMerging: [one, other])
        }
    }

    @Test func theModelOfAStoreIsFoundAmongVersions() throws {
        let first = makeModel([makeEntity("Note", [makeAttribute("title")])])
        let second = makeModel([
            makeEntity("Note", [makeAttribute("title"), makeAttribute("body")])
        ])
        let metadata = [ModelVersion.metadataKey: first.entityVersionHashesByName]
        let found = NSManagedObjectModel(byMerging: [second, first], forStoreMetadata: metadata)
        #expect(found?.entities[0].properties.count == 1)
        #expect(NSManagedObjectModel(byMerging: [second], forStoreMetadata: metadata) == nil)
        #expect(NSManagedObjectModel(byMerging: [second], forStoreMetadata: [:]) == nil)
    }

    /// A later version that only adds entities has all those of the store, too.
    @Test func theVersionOfAStoreComesBeforeThoseThatHaveMore() throws {
        func model(_ names: [String]) -> NSManagedObjectModel {
            makeModel(names.map { makeEntity($0, [makeAttribute("title")]) })
        }
        let more = model(["A", "B", "C"]), exact = model(["A", "C"])
        let parts = model(["A", "C", "D"])
        parts.setEntities(
            parts.entities.filter { $0.name != "D" },
            forConfigurationName: "Parts"
        )
        let metadata = [ModelVersion.metadataKey: exact.entityVersionHashesByName]
        func found(_ models: [NSManagedObjectModel]) -> [String]? {
            NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)?
                .entities.compactMap(\.name).sorted()
        }
        #expect(found([more, parts, exact]) == ["A", "C"])
        #expect(found([more, parts]) == ["A", "C", "D"])
        #expect(found([more]) == ["A", "B", "C"])
    }

    @Test func entitiesOfAModelInUseCannotBeTaken() async {
        await #expect(processExitsWith: .failure) {
            let model = makeModel([makeEntity("Note")])
            _ = model.layout
            _ = makeModel(model.entities)
        }
    }

    @Test func propertiesOfAnotherEntityCannotBeTaken() async {
        let note = makeEntity("Note", [makeAttribute("title")])
        let moved = note.properties
        note.properties = []
        #expect(makeEntity("Memo", moved).properties.count == 1)
        await #expect(processExitsWith: .failure) {
            let note = makeEntity("Note", [makeAttribute("title")])
            _ = makeEntity("Memo", note.properties)
        }
    }
}
