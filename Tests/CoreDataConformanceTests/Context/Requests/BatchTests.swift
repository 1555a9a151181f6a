import CoreData
import TestSupport
import Testing

/// Apple's framework supports batch requests on SQLite stores only.
@Suite struct BatchTests {
    private func ids(_ result: Any?) throws -> [NSManagedObjectID] {
        try #require(result as? [NSManagedObjectID])
    }

    private func number(_ result: NSPersistentStoreResult) -> Int? {
        let value = (result as? NSBatchUpdateResult)?.result
        return value as? Int ?? (result as? NSBatchDeleteResult)?.result as? Int
    }

    /// A model in which no two tags have the same label.
    static func modelWithUniqueLabels() throws -> NSManagedObjectModel {
        let model = SampleModel.make()
        let tag = try #require(model.entitiesByName["Tag"])
        let weight = NSAttributeDescription()
        weight.name = "weight"
        weight.attributeType = .integer32AttributeType
        weight.defaultValue = 7
        tag.properties += [weight]
        tag.uniquenessConstraints = [["label"]]
        return model
    }

    // MARK: Insert

    @Test(arguments: StoreKind.databases)
    func insertsDictionariesWithDefaults(kind: StoreKind) throws {
        try withContext(kind) { context in
            let born = Date(timeIntervalSinceReferenceDate: 42.5), uuid = UUID()
            let request = NSBatchInsertRequest(
                entityName: "Person",
                objects: [
                    ["name": "Ada", "age": 36, "born": born, "identifier": uuid],
                    ["name": "Bob", "isActive": false, "balance": NSDecimalNumber(string: "1.25")],
                ]
            )
            let result = try #require(try context.execute(request) as? NSBatchInsertResult)
            #expect(result.result as? Bool == true)
            #expect(result.resultType == .statusOnly && !context.hasChanges)
            let people = try context.all("Person", sortedBy: "name")
            #expect(people.map { $0.text("name") } == ["Ada", "Bob"])
            #expect(
                people[0].integer("age") == 36 && people[0].value(forKey: "born") as? Date == born
            )
            #expect(people[0].value(forKey: "identifier") as? UUID == uuid)
            #expect(people[0].value(forKey: "isActive") as? Bool == true)
            #expect(people[1].value(forKey: "isActive") as? Bool == false)
            #expect(people[1].value(forKey: "balance") as? NSDecimalNumber == 1.25)
            let later = context.make("Person", ["name": "Cid"])
            try context.save()
            #expect(try context.number("Person") == 3)
            #expect(!people.map(\.objectID).contains(later.objectID))
        }
    }

    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    @Test(arguments: StoreKind.databases)
    func handlersGiveRowsUntilTheySayThatThereAreNoMore(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = try #require(
                context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Tag"]
            )
            var count = 0
            let dictionaries = NSBatchInsertRequest(
                entity: tag,
                dictionaryHandler: { dictionary in
                    dictionary["label"] = "d\(count)"
                    count += 1
                    return count > 1_000
                }
            )
            dictionaries.resultType = .count
            let first = try context.execute(dictionaries) as? NSBatchInsertResult
            #expect(first?.result as? Int == 1_000)
            var number = 0
            let objects = NSBatchInsertRequest(
                entityName: "Tag",
                managedObjectHandler: { object in
                    object.setValue("o\(number)", forKey: "label")
                    number += 1
                    return number > 3
                }
            )
            objects.resultType = .objectIDs
            let second = try context.execute(objects) as? NSBatchInsertResult
            let inserted = try ids(second?.result)
            #expect(
                inserted.map { context.object(with: $0).text("label") } == ["o0", "o1", "o2"]
            )
            #expect(try context.number("Tag") == 1_003)
        }
    }

    @Test(arguments: StoreKind.databases)
    func unknownKeysAndOtherTypesThrowAndInsertNothing(kind: StoreKind) throws {
        try withContext(kind) { context in
            for values in [["label": "a"], ["lable": "b"]] as [[String: Any]] {
                let request = NSBatchInsertRequest(
                    entityName: "Tag",
                    objects: [["label": "first"], values, ["label": Date()]]
                )
                #expect(throws: (any Error).self) { try context.execute(request) }
            }
            let nowhere = NSBatchInsertRequest(entityName: "Nothing", objects: [])
            #expect(throws: (any Error).self) { try context.execute(nowhere) }
            let count = try context.number("Tag")
            #expect(count == 0)
        }
    }

    @Test(arguments: StoreKind.databases)
    func mergePoliciesSettleUniqueValues(kind: StoreKind) throws {
        let cases: [(NSMergePolicy, String?, Int?)] = [
            (.error, nil, nil), (.rollback, "old", 1), (.mergeByPropertyStoreTrump, "old", 1),
            (.mergeByPropertyObjectTrump, "new", 5), (.overwrite, "new", 5),
        ]
        for (policy, _, weight) in cases {
            try withContext(kind, model: try Self.modelWithUniqueLabels()) { context in
                context.mergePolicy = policy
                let old = context.make("Tag", ["label": "x", "weight": 1])
                try context.save()
                let request = NSBatchInsertRequest(
                    entityName: "Tag",
                    objects: [
                        ["label": "x", "weight": 4], ["label": "y"], ["label": "x", "weight": 5],
                    ]
                )
                guard let weight else {
                    let code = errorCode { try context.execute(request) }
                    #expect(code == NSManagedObjectConstraintMergeError)
                    #expect(try context.number("Tag") == 1)
                    return
                }
                try context.execute(request)
                context.refreshAllObjects()
                let tags = try context.all("Tag", sortedBy: "label")
                #expect(tags.map { $0.text("label") } == ["x", "y"])
                #expect(tags.map { $0.integer("weight") } == [weight, 7])
                #expect(tags.first === old)
            }
        }
    }

    // MARK: Update

    @Test(arguments: StoreKind.databases)
    func updatesByConstantsExpressionsAndIDs(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "Maths"])
            let ada = context.make("Person", ["name": "Ada", "age": 36])
            let bob = context.make("Employee", ["name": "Bob", "age": 20])
            let cid = context.make("Person", ["name": "Cid", "age": 50])
            try context.save()
            let request = NSBatchUpdateRequest(entityName: "Person")
            request.predicate = NSPredicate(format: "age < 40")
            request.propertiesToUpdate = [
                "age": NSExpression(format: "age + 1"), "isActive": false,
                "height": NSExpression(forConstantValue: 1.5), "department": department.objectID,
                "born": NSNull(),
            ]
            request.resultType = .updatedObjectIDsResultType
            let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
            let updated = try ids(result.result)
            #expect(Set(updated) == [ada.objectID, bob.objectID])
            #expect(ada.integer("age") == 36)
            let log = NotificationLog(context)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: updated],
                into: [context]
            )
            log.stop()
            #expect(log.count(.NSManagedObjectContextObjectsDidChange) == 1)
            #expect(ada.integer("age") == 37 && bob.integer("age") == 21)
            #expect(cid.integer("age") == 50 && cid.value(forKey: "isActive") as? Bool == true)
            #expect(
                ada.value(forKey: "height") as? Double == 1.5
                    && ada.one("department") === department
            )
            context.refresh(department, mergeChanges: false)
            #expect(department.set("people") == [ada, bob])
            // The version was raised, so a stale save would have met a conflict; this one is none.
            ada.setValue(1, forKey: "age")
            try context.save()
        }
    }

    @Test(arguments: StoreKind.databases)
    func updateLeavesOutSubentitiesIfAskedTo(kind: StoreKind) throws {
        try withContext(kind) { context in
            context.make("Person", ["name": "Ada"])
            context.make("Employee", ["name": "Bob"])
            try context.save()
            let request = NSBatchUpdateRequest(entityName: "Person")
            request.includesSubentities = false
            request.propertiesToUpdate = ["age": 1]
            request.resultType = .updatedObjectsCountResultType
            #expect(try number(context.execute(request)) == 1)
            request.includesSubentities = true
            #expect(try number(context.execute(request)) == 2)
            #expect(request.entity.name == "Person")
        }
    }

    @Test(arguments: StoreKind.databases)
    func predicatesOfBatchesFollowRelationships(kind: StoreKind) throws {
        try withContext(kind) { context in
            let maths = context.make("Department", ["name": "Maths"])
            context.make("Person", ["name": "Ada", "department": maths])
            context.make("Person", ["name": "Bob"])
            try context.save()
            let request = NSBatchUpdateRequest(entityName: "Person")
            request.predicate = NSPredicate(format: "department.name == 'Maths'")
            request.propertiesToUpdate = ["name": NSExpression(format: "uppercase(name)")]
            try context.execute(request)
            context.refreshAllObjects()
            #expect(
                try context.all("Person", sortedBy: "name").map { $0.text("name") } == [
                    "ADA", "Bob",
                ]
            )
            request.propertiesToUpdate = ["name": NSExpression(format: "department.name")]
            #expect(throws: (any Error).self) { try context.execute(request) }
            request.propertiesToUpdate = ["tags": NSNull()]
            #expect(throws: (any Error).self) { try context.execute(request) }
            request.propertiesToUpdate = ["name": 3]
            #expect(throws: (any Error).self) { try context.execute(request) }
        }
    }

    @Test(arguments: StoreKind.databases)
    func otherContextsMeetAConflictAfterABatchUpdate(kind: StoreKind) throws {
        try withContext(kind) { context in
            let ada = context.make("Person", ["name": "Ada", "age": 1])
            try context.save()
            ada.setValue("Eve", forKey: "name")
            let request = NSBatchUpdateRequest(entityName: "Person")
            request.propertiesToUpdate = ["age": 2]
            try context.execute(request)
            #expect(errorCode(context.save) == NSManagedObjectMergeError)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            context.refresh(ada, mergeChanges: false)
            #expect(ada.text("name") == "Eve" && ada.integer("age") == 2)
        }
    }

    // MARK: Delete

    @Test(arguments: StoreKind.databases)
    func deletesWhatAFetchWouldFind(kind: StoreKind) throws {
        try withContext(kind) { context in
            let people = (0..<5).map { context.make("Person", ["name": "p\($0)", "age": $0]) }
            try context.save()
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
            fetch.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
            fetch.fetchLimit = 2
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .resultTypeObjectIDs
            let result = try #require(try context.execute(request) as? NSBatchDeleteResult)
            let deleted = try ids(result.result)
            #expect(Set(deleted) == [people[3].objectID, people[4].objectID])
            #expect(try context.number("Person") == 3)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectsKey: deleted],
                into: [context]
            )
            #expect(
                !context.registeredObjects.subtracting(context.deletedObjects).contains(people[4])
            )
            #expect(throws: (any Error).self) { try context.existingObject(with: deleted[0]) }
            try context.save()
            #expect(try context.number("Person") == 3)
        }
    }

    @Test(arguments: StoreKind.databases)
    func deletesByIDs(kind: StoreKind) throws {
        try withContext(kind) { context in
            let ada = context.make("Person", ["name": "Ada"])
            let bob = context.make("Employee", ["name": "Bob"])
            context.make("Person", ["name": "Cid"])
            try context.save()
            let request = NSBatchDeleteRequest(objectIDs: [bob.objectID, ada.objectID])
            request.resultType = .resultTypeCount
            #expect(try number(context.execute(request)) == 2)
            #expect(try context.only("Person").text("name") == "Cid")
        }
    }

    @Test(arguments: StoreKind.databases)
    func otherRowsLoseTheirReferencesToDeletedOnes(kind: StoreKind) throws {
        try withContext(kind) { context in
            let maths = context.make("Department", ["name": "Maths"])
            let ada = context.make("Person", ["name": "Ada", "department": maths])
            let tag = context.make("Tag", ["label": "t"])
            ada.setValue(Set([tag]), forKey: "tags")
            try context.save()
            for entity in ["Department", "Tag"] {
                let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
                try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
            }
            context.reset()
            let found = try context.only("Person")
            #expect(found.one("department") == nil && found.set("tags").isEmpty)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "department == nil AND tags.@count == 0")
            #expect(try context.count(for: request) == 1)
        }
    }

    @Test(arguments: StoreKind.databases)
    func aRequiredReferenceMakesTheDeleteFail(kind: StoreKind) throws {
        let model = SampleModel.make()
        try #require(model.entitiesByName["Person"]?.relationshipsByName["department"]).isOptional =
            false
        try withContext(kind, model: model) { context in
            let maths = context.make("Department", ["name": "Maths"])
            context.make("Person", ["name": "Ada", "department": maths])
            context.make("Department", ["name": "Empty"])
            try context.save()
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Department")
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            #expect(throws: (any Error).self) { try context.execute(request) }
            #expect(try context.number("Department") == 2)
            fetch.predicate = NSPredicate(format: "people.@count == 0")
            try context.execute(request)
            #expect(try context.only("Department") === maths)
        }
    }

    // MARK: Stores

    @Test func storesInMemoryRefuseBatches() throws {
        try withContext(.inMemory) { context in
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["label": "x"]
            let requests: [NSPersistentStoreRequest] = [
                NSBatchInsertRequest(entityName: "Tag", objects: [["label": "a"]]), update,
                NSBatchDeleteRequest(fetchRequest: fetch),
            ]
            for request in requests {
                let code = errorCode { try context.execute(request) }
                #expect(code == NSPersistentStoreUnsupportedRequestTypeError)
            }
        }
    }

    @Test(arguments: StoreKind.databases)
    func theCoordinatorExecutesRequestsToo(kind: StoreKind) throws {
        try withContext(kind) { context in
            let coordinator = try #require(context.persistentStoreCoordinator)
            let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["label": "a"]])
            let result = try coordinator.execute(insert, with: context)
            #expect((result as? NSBatchInsertResult)?.result as? Bool == true)
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let found = try coordinator.execute(fetch, with: context) as? [Any]
            #expect(found?.count == 1)
        }
    }
}
