import CoreData
import TestSupport
import Testing

@Suite struct CompositeTests {
    /// Places with a location of two numbers and an address of texts, which has a part of its own.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    private func model() -> NSManagedObjectModel {
        let location = NSCompositeAttributeDescription()
        location.name = "location"
        location.elements = [
            attribute("latitude", .doubleAttributeType),
            attribute("longitude", .doubleAttributeType),
        ]
        let street = NSCompositeAttributeDescription()
        street.name = "street"
        street.elements = [
            attribute("name", .stringAttributeType), attribute("number", .integer32AttributeType),
        ]
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [
            street, attribute("town", .stringAttributeType), attribute("since", .dateAttributeType),
            attribute("key", .UUIDAttributeType), attribute("rent", .decimalAttributeType),
        ]
        let place = NSEntityDescription()
        place.name = "Place"
        place.properties = [attribute("name", .stringAttributeType), location, address]
        let cafe = NSEntityDescription()
        cafe.name = "Cafe"
        place.subentities = [cafe]
        let model = NSManagedObjectModel()
        model.entities = [place, cafe]
        return model
    }

    private func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test(arguments: StoreKind.allCases)
    func elementsAreKept(kind: StoreKind) throws {
        try withContext(kind, model: model()) { context in
            let key = UUID(), since = Date(timeIntervalSinceReferenceDate: -12.5)
            let place = context.make(
                "Cafe",
                [
                    "name": "Central", "location": ["latitude": 47.5, "longitude": -8.25],
                    "address": [
                        "street": ["name": "Bahnhofstraße", "number": 3] as [String: Any],
                        "town": "Zürich", "since": since, "key": key,
                        "rent": NSDecimalNumber(string: "10.11"),
                    ] as [String: Any],
                ]
            )
            context.make("Place", ["name": "Nowhere"])
            try context.save()
            context.reset()
            let read = try #require(try context.all("Cafe").first)
            #expect(read.value(forKeyPath: "location.latitude") as? Double == 47.5)
            let address = try #require(read.value(forKey: "address") as? [String: Any])
            #expect((address["street"] as? [String: Any])?["name"] as? String == "Bahnhofstraße")
            #expect(address["since"] as? Date == since && address["key"] as? UUID == key)
            #expect((address["rent"] as? NSDecimalNumber)?.stringValue == "10.11")
            read.setValue(["latitude": 1.5], forKey: "location")
            read.setValue(nil, forKey: "address")
            try context.save()
            context.reset()
            let again = try #require(try context.all("Cafe").first)
            let location = try #require(again.value(forKey: "location") as? [String: Any])
            #expect(location.count == 1 && location["latitude"] as? Double == 1.5)
            #expect(again.value(forKey: "address") == nil && place !== again)
            let empty = try #require(
                try context.all("Place", where: NSPredicate(format: "name == 'Nowhere'")).first
            )
            #expect(empty.value(forKey: "location") == nil)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test(arguments: StoreKind.allCases)
    func predicatesReachElements(kind: StoreKind) throws {
        try withContext(kind, model: model()) { context in
            for number in 0..<5 {
                context.make(
                    "Place",
                    [
                        "name": "\(number)", "location": ["latitude": Double(number)],
                        "address": ["street": ["number": number * 10]],
                    ]
                )
            }
            try context.save()
            context.reset()
            let north = try context.all(
                "Place",
                sortedBy: "name",
                where: NSPredicate(format: "location.latitude > 2")
            )
            #expect(north.map { $0.text("name") } == ["3", "4"])
            let street = try context.all(
                "Place",
                where: NSPredicate(format: "address.street.number == 10")
            )
            #expect(street.map { $0.text("name") } == ["1"])
            let request = NSFetchRequest<NSDictionary>(entityName: "Place")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name", "location"]
            request.predicate = NSPredicate(format: "location.latitude == 4")
            let row = try #require(try context.fetch(request).first)
            #expect((row["location"] as? [String: Any])?["latitude"] as? Double == 4)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test(arguments: StoreKind.allCases)
    func valuesOfOtherTypesAreRefused(kind: StoreKind) throws {
        try withContext(kind, model: model()) { context in
            context.make("Place", ["location": ["latitude": "north"]])
            #expect(throws: (any Error).self) { try context.save() }
        }
    }
}
