import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The indexes that compound indexes of a model's source stand for.
@Suite struct CompoundIndexTests {
    private static func model(readsSource: Bool) throws -> NSManagedObjectModel {
        guard readsSource else {
            let note = makeEntity("Note", [makeAttribute("name"), makeAttribute("place")])
            note.compoundIndexes = [["name", "place"]]
            return makeModel([note])
        }
        return try readModel(
            """
            <model>
              <entity name="Note">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="place" optional="YES" attributeType="String"/>
                <compoundIndexes>
                  <compoundIndex><index value="name"/><index value="place"/></compoundIndex>
                </compoundIndexes>
              </entity>
            </model>
            """
        )
    }

    @Test(arguments: [true, false])
    func aNewStoreHasTheIndexAndItsModelNamesIt(readsSource: Bool) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: try Self.model(readsSource: readsSource)
            )
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            try coordinator.remove(store)
            #expect(
                try SQLiteShell.rows(
                    url,
                    "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZNOTE'"
                ) == [
                    "CREATE INDEX Z_Note_name_place ON ZNOTE "
                        + "(ZNAME COLLATE BINARY ASC, ZPLACE COLLATE BINARY ASC)"
                ]
            )
            let cached = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            let note = try #require(cached.entitiesByName["Note"])
            #expect(note.indexes.map(\.name) == ["name_place"])
            #expect(note.indexes.first?.elements.map(\.propertyName) == ["name", "place"])
            #expect(note.compoundIndexNames == [["name", "place"]])
        }
    }

    @Test func anRTreeIndexIsMadeAsAnOrdinaryOne() throws {
        let place = makeAttribute("place", .doubleAttributeType)
        let note = makeEntity("Note", [place])
        let element = NSFetchIndexElementDescription(property: place, collationType: .rTree)
        note.indexes = [NSFetchIndexDescription(name: "byPlace", elements: [element])]
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel([note]))
            try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: url))
            #expect(
                try SQLiteShell.rows(
                    url,
                    "SELECT sql FROM sqlite_master WHERE name = 'Z_Note_byPlace'"
                ) == ["CREATE INDEX Z_Note_byPlace ON ZNOTE (ZPLACE COLLATE BINARY ASC)"]
            )
        }
    }

    @Test func anIndexOfTheSameAttributesIsEnough() throws {
        let model = try readModel(
            """
            <model>
              <entity name="Note">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="place" optional="YES" attributeType="String"/>
                <fetchIndex name="byBoth">
                  <fetchIndexElement property="name" type="Binary" order="ascending"/>
                  <fetchIndexElement property="place" type="Binary" order="ascending"/>
                </fetchIndex>
              </entity>
            </model>
            """
        )
        let note = try #require(model.entitiesByName["Note"])
        #expect(note.indexes.map(\.name) == ["byBoth"])
        #expect(note.impliedCompoundIndexes.isEmpty)
    }

    /// A `.mom` does not list the index that its compound index stands for.
    @Test func copiesAndArchivesKnowWhichIndexStandsForTheList() throws {
        let model = try Self.model(readsSource: true)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: model,
            requiringSecureCoding: true
        )
        let others = [
            model.copy() as? NSManagedObjectModel,
            NSManagedObjectModel(byMerging: [model]),
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: NSManagedObjectModel.self,
                from: archive
            ),
        ]
        for other in [model] + others.compactMap({ $0 }) {
            let note = try #require(other.entitiesByName["Note"])
            #expect(note.indexes.map(\.name) == ["name_place"])
            #expect(note.indexes.allSatisfy { ModelIndexes.isImplied($0, in: note) })
            #expect(other.entityVersionHashesByName == model.entityVersionHashesByName)
        }
        #expect(others.compactMap { $0 }.count == 3)
    }
}
