import CoreData
import TestSupport
import Testing

/// Batch requests that name nothing, too much, or what can't be.
@Suite struct BatchEdgeTests {
    private func message(_ context: NSManagedObjectContext, _ request: NSPersistentStoreRequest)
        -> String
    {
        caughtError { try context.execute(request) }?.localizedDescription ?? "nothing thrown"
    }

    @Test(arguments: StoreKind.databases)
    func abstractEntitiesHaveNoRowsOfTheirOwn(kind: StoreKind) throws {
        let model = SampleModel.make()
        model.entitiesByName["Person"]?.isAbstract = true
        try withContext(kind, model: model) { context throws in
            let request = NSBatchInsertRequest(entityName: "Person", objects: [["name": "a"]])
            #expect(message(context, request).contains("Person is abstract"))
        }
    }

    @Test func aBatchWithoutAStoreThrows() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let context = coordinator.makeContext()
        context.onQueue {
            let requests: [NSPersistentStoreRequest] = [
                NSBatchInsertRequest(entityName: "Tag", objects: [[:]]),
                NSBatchUpdateRequest(entityName: "Tag"),
                NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag")),
            ]
            for request in requests { #expect(message(context, request).contains("Tag")) }
        }
    }

    @Test(arguments: StoreKind.databases)
    func aReadOnlyStoreIsNotChangedByBatches(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "a"])
                try context.save()
                let store = try #require(stack.coordinator.persistentStores.first)
                store.isReadOnly = true
                let update = NSBatchUpdateRequest(entityName: "Tag")
                update.propertiesToUpdate = ["label": "b"]
                let requests: [NSPersistentStoreRequest] = [
                    update, NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag")),
                    NSBatchInsertRequest(entityName: "Tag", objects: [["label": "c"]]),
                ]
                for request in requests {
                    #expect(throws: (any Error).self) { try context.execute(request) }
                }
                store.isReadOnly = false
                context.reset()
                #expect(try context.all("Tag").map { $0.text("label") } == ["a"])
            }
        }
    }

    @Test(arguments: StoreKind.databases)
    func whatNamesNothingChangesNothing(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            context.make("Tag", ["label": "a"])
            try context.save()
            let none = NSBatchInsertRequest(entityName: "Tag", objects: [])
            let objectless = NSBatchInsertRequest(entityName: "Tag", objects: [[:]])
            objectless.objectsToInsert = nil
            for insert in [none, objectless] {
                insert.resultType = .count
                #expect((try context.execute(insert) as? NSBatchInsertResult)?.result as? Int == 0)
            }
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 0)
            let delete = NSBatchDeleteRequest(objectIDs: [])
            delete.resultType = .resultTypeCount
            #expect((try context.execute(delete) as? NSBatchDeleteResult)?.result as? Int == 0)
            context.refreshAllObjects()
            #expect(try context.only("Tag").text("label") == "a")
        }
    }

    @Test(arguments: StoreKind.databases)
    func aDeleteTakesObjectsOfOneTreeOfEntities(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            let tag = context.make("Tag"), song = context.make("Song")
            try context.save()
            let mixed = NSBatchDeleteRequest(objectIDs: [tag.objectID, song.objectID])
            #expect(message(context, mixed).contains("one entity and its relatives"))
            #expect(try context.number("Tag") == 1 && context.number("Song") == 1)
        }
    }

    @Test(arguments: StoreKind.databases)
    func affectedStoresNarrowABatch(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "a"])
                try context.save()
                let update = NSBatchUpdateRequest(entityName: "Tag")
                update.propertiesToUpdate = ["label": "b"]
                update.affectedStores = []
                #expect(throws: (any Error).self) { try context.execute(update) }
                update.affectedStores = stack.coordinator.persistentStores
                try context.execute(update)
                context.refreshAllObjects()
                #expect(try context.only("Tag").text("label") == "b")
            }
        }
    }

    /// A new value and what the message of the error says of it.
    private static let wrongValues: [(String, String, String)] = [
        ("age", "name", "another type"), ("name", "age", "another type"),
        ("name", "department.name", "follows a relationship"),
    ]

    @Test(arguments: StoreKind.databases)
    func expressionsOfAnotherTypeAreRefused(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            for (key, path, part) in Self.wrongValues {
                let update = NSBatchUpdateRequest(entityName: "Person")
                update.propertiesToUpdate = [key: NSExpression(forKeyPath: path)]
                #expect(message(context, update).contains(part))
            }
        }
    }

    @Test(arguments: StoreKind.databases)
    func expressionsOfRealNumbersAreCutToWholeOnes(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            let person = context.make("Person", ["name": "a", "age": 3, "height": 1.75])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Person")
            update.propertiesToUpdate = ["age": NSExpression(format: "height * 2")]
            try context.execute(update)
            context.refresh(person, mergeChanges: false)
            #expect(person.integer("age") == 3)
        }
    }

    @Test(arguments: StoreKind.databases)
    func constantsMayStandInExpressionsAndKeysMayBeProperties(kind: StoreKind) throws {
        try withContext(kind) { context throws in
            let person = context.make("Person", ["name": "a", "age": 3])
            try context.save()
            let age = try #require(person.entity.propertiesByName["age"])
            let update = NSBatchUpdateRequest(entityName: "Person")
            update.propertiesToUpdate = [age: NSExpression(forConstantValue: 7)]
            try context.execute(update)
            context.refresh(person, mergeChanges: false)
            #expect(person.integer("age") == 7)
            update.propertiesToUpdate = ["age": NSExpression(forConstantValue: nil)]
            try context.execute(update)
            context.refresh(person, mergeChanges: false)
            #expect(person.value(forKey: "age") == nil)
            update.propertiesToUpdate = [7: "x"]
            #expect(message(context, update).contains("7"))
        }
    }

    @Test(arguments: StoreKind.databases)
    func aToOneRelationshipTakesTheEntityOfItsNewDestination(kind: StoreKind) throws {
        try withContext(kind, model: Self.modelWithMentors()) { context throws in
            let boss = context.make("Manager", ["name": "boss"])
            let person = context.make("Person", ["name": "a"])
            let song = context.make("Song")
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Person")
            update.predicate = NSPredicate(format: "name == 'a'")
            update.propertiesToUpdate = ["mentor": boss.objectID]
            try context.execute(update)
            context.refreshAllObjects()
            #expect(person.one("mentor") === boss && boss.entity.name == "Manager")
            update.propertiesToUpdate = ["mentor": song.objectID]
            #expect(throws: (any Error).self) { try context.execute(update) }
            update.propertiesToUpdate = ["mentor": NSNull()]
            try context.execute(update)
            context.refreshAllObjects()
            #expect(person.one("mentor") == nil)
        }
    }

    /// The sample model with a to-one relationship to an entity that has others beneath it.
    private static func modelWithMentors() -> NSManagedObjectModel {
        let model = SampleModel.make()
        let mentor = NSRelationshipDescription()
        mentor.name = "mentor"
        mentor.destinationEntity = model.entitiesByName["Person"]
        mentor.maxCount = 1
        mentor.isOptional = true
        model.entitiesByName["Person"]?.properties.append(mentor)
        return model
    }

    @Test(arguments: StoreKind.databases)
    func transformableValuesAreArchived(kind: StoreKind) throws {
        let box = RulesModel.entity(
            "Box",
            ["name": .stringAttributeType, "content": .transformableAttributeType]
        )
        box.attributesByName["content"]?.defaultValue = ["d"] as NSArray
        let model = NSManagedObjectModel()
        model.entities = [box]
        try withContext(kind, model: model) { context throws in
            let given: [String: Any] = ["name": "b", "content": ["x"] as NSArray]
            try context.execute(
                NSBatchInsertRequest(entityName: "Box", objects: [["name": "a"], given])
            )
            func contents() throws -> [[String]?] {
                try context.all("Box", sortedBy: "name").map {
                    $0.value(forKey: "content") as? [String]
                }
            }
            #expect(try contents() == [["d"], ["x"]])
            let update = NSBatchUpdateRequest(entityName: "Box")
            update.propertiesToUpdate = ["content": ["y"] as NSArray]
            try context.execute(update)
            context.refreshAllObjects()
            #expect(try contents() == [["y"], ["y"]])
        }
    }

    @Test(arguments: StoreKind.databases)
    func wholeNumbersStayAsTheyAreComputed(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "a", "age": 7])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Person")
            update.propertiesToUpdate = ["age": NSExpression(format: "bitwiseAnd:with:(age, 3)")]
            try context.execute(update)
            context.refresh(person, mergeChanges: false)
            #expect(person.integer("age") == 3)
            update.propertiesToUpdate = [
                "age": NSExpression(forAggregate: [NSExpression(forConstantValue: 1)])
            ]
            #expect(throws: (any Error).self) { try context.execute(update) }
        }
    }

    @Test(arguments: StoreKind.databases)
    func defaultsThatNoRowHoldsAreLeftOut(kind: StoreKind) throws {
        let note = RulesModel.entity("Note", ["name": .stringAttributeType])
        let mark = NSAttributeDescription()
        mark.name = "mark"
        mark.attributeType = .undefinedAttributeType
        mark.isTransient = true
        mark.isOptional = true
        mark.defaultValue = "x" as NSString
        note.properties.append(mark)
        let model = NSManagedObjectModel()
        model.entities = [note]
        try withContext(kind, model: model) { context in
            try context.execute(NSBatchInsertRequest(entityName: "Note", objects: [["name": "n"]]))
            let read = try context.only("Note")
            #expect(read.text("name") == "n" && read.text("mark") == "x")
        }
    }
}
