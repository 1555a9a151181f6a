import Testing

@testable import CoreData

@Suite struct WorldModelTests {
    private func folder() -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../Examples/World", isDirectory: true)
            .standardizedFileURL
    }
    private func model() throws -> NSManagedObjectModel {
        try NSManagedObjectModel(readingFrom: folder().appendingPathComponent("World.xcdatamodeld"))
    }

    @Test func theModelLoadsAndCompiles() throws {
        let layout = try model().layout
        #expect(layout.entities.map(\.name) == ["Airport", "Continent", "Country"])
        let country = try #require(layout.entitiesByName["Country"])
        let neighbours = try #require(country.slot(named: "neighbours"))
        #expect(neighbours.isManyToMany && neighbours.inverseSlot == neighbours.index)
        #expect(country.slot(named: "airports")?.deleteRule == .denyDeleteRule)
        let airport = try #require(layout.entitiesByName["Airport"])
        #expect(airport.slot(named: "country")?.isOptional == false)
        #expect(airport.entity.uniqueKeyGroups == [["icao"]])
        #expect(
            airport.entity.indexes.map(\.name) == [
                "byCountryAndElevation", "byElevation", "byICAO", "elevation", "icao",
            ]
        )
    }

    @Test func theMappingNamesKeysOfTheData() throws {
        let model = try model()
        let header = try #require(
            String(contentsOf: folder().appendingPathComponent("airports.csv"), encoding: .utf8)
                .split(separator: "\n").first
        )
        let columns = Set(
            header.split(separator: ",").map { $0.trimmingCharacters(in: ["\"", "\r"]) }
        )
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder().appendingPathComponent("countries.json"))
        )
        let countries = try #require(json as? [String: [String: Any]])
        let keys = [
            "Airport": columns,
            "Country": Set(try #require(countries["AD"]).keys),
            "Continent": ["code", "name", "geonameid", "population"],
        ]
        for entity in model.entities {
            for property in entity.properties
            where property is NSAttributeDescription || property.userInfo?["mappedKeyName"] != nil {
                let key = property.userInfo?["mappedKeyName"] as? String ?? property.name
                #expect(keys[entity.name ?? ""]?.contains(key) == true, "\(property.name)")
            }
            let primary = try #require(entity.userInfo?["relatedByAttribute"] as? String)
            #expect(entity.attributesByName[primary] != nil)
            for relationship in entity.relationshipsByName.values {
                guard let name = relationship.userInfo?["relatedByAttribute"] as? String else {
                    continue
                }
                #expect(relationship.destinationEntity?.attributesByName[name] != nil)
            }
        }
    }

    @Test func requiredTextsAreNeverEmptyInTheData() throws {
        let country = try #require(try model().entitiesByName["Country"])
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder().appendingPathComponent("countries.json"))
        )
        for row in try #require(json as? [String: [String: Any]]).values {
            for attribute in country.attributesByName.values where !attribute.isOptional {
                let value = row[attribute.userInfo?["mappedKeyName"] as? String ?? attribute.name]
                #expect(value != nil && value as? String != "", "\(attribute.name)")
            }
        }
    }
}
