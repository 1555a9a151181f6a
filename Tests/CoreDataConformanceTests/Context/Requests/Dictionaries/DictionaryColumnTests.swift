import CoreData
import TestSupport
import Testing

/// Columns of dictionaries that are no plain attributes.
@Suite struct DictionaryColumnTests {
    @Test(arguments: StoreKind.allCases)
    func theObjectItselfIsAColumnByName(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let people = try context.all("Person", sortedBy: "name")
            let request = dictionaryRequest(["objectID", "name"], sortedBy: "name")
            let ids = try context.fetch(request).map { $0["objectID"] as? NSManagedObjectID }
            #expect(ids == people.map(\.objectID))
            request.propertiesToGroupBy = ["objectID", "name"]
            #expect(
                try context.fetch(request).map { $0.text("name") } == people.map { $0.text("name") }
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func constantsComeOnceForEachRow(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let five = computed("five", NSExpression(forConstantValue: 5), .integer32AttributeType)
            let results = try context.fetch(dictionaryRequest([five]))
            #expect(results.map { $0.integer("five") } == Array(repeating: 5, count: 6))
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test(arguments: StoreKind.allCases)
    func compositeValuesAreDictionariesWithinDictionaries(kind: StoreKind) throws {
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = ["x", "y"].map { name in
            let element = NSAttributeDescription()
            element.name = name
            element.attributeType = .doubleAttributeType
            return element
        }
        let pin = RulesModel.entity("Pin", ["name": .stringAttributeType])
        pin.properties.append(place)
        let model = NSManagedObjectModel()
        model.entities = [pin]
        try withContext(kind, model: model) { context throws in
            context.make("Pin", ["name": "a", "place": ["x": 1.5, "y": 2.5]])
            context.make("Pin", ["name": "b"])
            try context.save()
            let request = dictionaryRequest(["name", "place"], of: "Pin", sortedBy: "name")
            let places = try context.fetch(request).map { $0["place"] as? [String: Double] }
            #expect(places == [["x": 1.5, "y": 2.5], nil])
            let elements = dictionaryRequest(["place.y"], of: "Pin", sortedBy: "name")
            #expect(try context.fetch(elements).map { $0.real("place.y") } == [2.5, nil])
        }
    }

    /// Files may hold keys of rows that are gone, and rows of an entity that the model lacks.
    @Test(.enabled(if: SQLiteShell.isThere, "needs sqlite3"))
    func referencesToWhatIsNotThereAreNoIDs() throws {
        try withStack(.sqlite) { stack throws in
            let context = stack.makeContext()
            let lists = try context.onQueue {
                let lists = ["a", "b"].map { context.make("Playlist", ["title": $0]) }
                for (title, list) in zip(["s", "t"], lists) {
                    context.make("Song", ["title": title, "playlist": list])
                }
                try context.save()
                return lists.map(\.objectID)
            }
            _ = try SQLiteShell.run(
                stack.url,
                "DELETE FROM ZPLAYLIST WHERE ZTITLE = 'a'; UPDATE ZPLAYLIST SET Z_ENT = 99"
            )
            try context.onQueue {
                let request = dictionaryRequest(["playlist"], of: "Song", sortedBy: "title")
                let found = try context.fetch(request).map { $0["playlist"] as? NSManagedObjectID }
                #expect(found == [nil, lists[1]])
            }
        }
    }

    @Test(.enabled(if: SQLiteShell.isThere, "needs sqlite3"))
    func aDecimalThatIsNoNumberIsLeftOut() throws {
        try withStack(.sqlite) { stack throws in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Person", ["name": "a", "balance": NSDecimalNumber(value: 1)])
                try context.save()
            }
            _ = try SQLiteShell.run(stack.url, "UPDATE ZPERSON SET ZBALANCE = x'00'")
            try context.onQueue {
                let result = try #require(
                    try context.fetch(dictionaryRequest(["name", "balance"])).first
                )
                #expect(result.text("name") == "a" && result["balance"] == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRelationshipInAnExpressionIsAnID(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let department = computed(
                "place",
                NSExpression(forKeyPath: "department"),
                .objectIDAttributeType
            )
            let found = try context.fetch(dictionaryRequest([department], sortedBy: "name"))
            let people = try context.all("Person", sortedBy: "name")
            #expect(
                found.map { $0["place"] as? NSManagedObjectID }
                    == people.map { $0.one("department")?.objectID }
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aConditionGivesReferencesAndValuesOfAKindAsTheyAre(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let identifier = UUID()
            try context.only("Manager").setValue(identifier, forKey: "identifier")
            try context.save()
            func either(_ name: String, _ key: String) -> NSExpressionDescription {
                computed(
                    name,
                    NSExpression(format: "TERNARY(age > 25, \(key), \(key))"),
                    .undefinedAttributeType
                )
            }
            let found = try context.fetch(
                dictionaryRequest(
                    [either("place", "department"), either("known", "identifier")],
                    sortedBy: "name"
                )
            )
            let people = try context.all("Person", sortedBy: "name")
            #expect(
                found.map { $0["place"] as? NSManagedObjectID }
                    == people.map { $0.one("department")?.objectID }
            )
            #expect(found.compactMap { $0["known"] as? UUID } == [identifier])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func columnsOfNoTypeAreOfThatOfTheirExpression(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let columns = [
                computed("oldest", NSExpression(format: "max:(age)"), .undefinedAttributeType),
                computed("last", NSExpression(format: "max:(name)"), .undefinedAttributeType),
                computed("tallest", NSExpression(format: "max:(height)"), .undefinedAttributeType),
                computed("richest", NSExpression(format: "max:(balance)"), .undefinedAttributeType),
                computed("youngest", NSExpression(format: "max:(born)"), .undefinedAttributeType),
            ]
            let identifier = UUID()
            let born = Date(timeIntervalSinceReferenceDate: 86_400)
            try context.only("Manager").setValue(identifier, forKey: "identifier")
            try context.all("Person", sortedBy: "name")[0].setValue(born, forKey: "born")
            try context.save()
            let known = computed(
                "known",
                NSExpression(format: "max:(identifier)"),
                .undefinedAttributeType
            )
            let result = try #require(
                try context.fetch(dictionaryRequest(columns + [known])).first
            )
            #expect(result["known"] as? UUID == identifier)
            #expect(result.integer("oldest") == 50 && result.text("last") == "Finn")
            #expect(result.real("tallest") == 2)
            #expect((result["richest"] as? NSNumber)?.doubleValue == 2.5)
            #expect(result["youngest"] as? Date == born)
            #expect(result["richest"] is NSDecimalNumber)
            // Of a collection, too.
            let latest = computed(
                "latest",
                NSExpression(format: "people.@max.born"),
                .undefinedAttributeType
            )
            let dates = try context.fetch(dictionaryRequest([latest], of: "Department"))
                .compactMap { $0["latest"] as? Date }
            #expect(dates == [born])
        }
    }
}
