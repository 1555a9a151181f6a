import CoreData
import TestSupport
import Testing

/// Rows of batches that are in each other's way, or in that of rows of the store.
@Suite struct BatchConflictTests {
    private func withTags(
        _ kind: StoreKind,
        _ policy: NSMergePolicy,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        try withContext(kind, model: try BatchTests.modelWithUniqueLabels()) { context throws in
            context.mergePolicy = policy
            for (label, weight) in [("a", 1), ("b", 2), ("c", 3)] {
                context.make("Tag", ["label": label, "weight": weight])
            }
            try context.save()
            context.reset()
            try body(context)
        }
    }

    private func weights(_ context: NSManagedObjectContext) throws -> [String: Int] {
        context.reset()
        let pairs = try context.all("Tag").map { ($0.text("label") ?? "", $0.integer("weight")) }
        return Dictionary(uniqueKeysWithValues: pairs).compactMapValues(\.self)
    }

    @Test(arguments: StoreKind.databases)
    func laterRowsAreThoseThatStay(kind: StoreKind) throws {
        try withTags(kind, .mergeByPropertyObjectTrump) { context throws in
            let request = NSBatchInsertRequest(
                entityName: "Tag",
                objects: [
                    ["label": "c", "weight": 30], ["label": "n", "weight": 40],
                    ["label": "n", "weight": 41], ["label": "a", "weight": 10],
                    ["label": "c", "weight": 31],
                ]
            )
            try context.execute(request)
            #expect(try weights(context) == ["a": 10, "b": 2, "c": 31, "n": 41])
        }
    }

    /// Two rows of a batch become one, which takes the place of a row of the store: with what either
    /// of them was given.
    @Test(arguments: StoreKind.databases, [[["label"], ["code"]], [["code"], ["label"]]])
    func rowsThatBecomeOneOverwriteWithAllTheirValues(
        kind: StoreKind,
        constraints: [[String]]
    ) throws {
        let model = try BatchTests.modelWithUniqueLabels()
        let code = NSAttributeDescription()
        code.name = "code"
        code.attributeType = .integer32AttributeType
        let tag = try #require(model.entitiesByName["Tag"])
        tag.properties.append(code)
        tag.uniquenessConstraints = constraints
        try withContext(kind, model: model) { context throws in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.make("Tag", ["label": "a", "code": 7, "weight": 1])
            try context.save()
            let request = NSBatchInsertRequest(
                entityName: "Tag",
                objects: [["label": "n"], ["label": "n", "code": 7, "weight": 5]]
            )
            try context.execute(request)
            context.reset()
            let saved = try context.only("Tag")
            #expect(saved.text("label") == "n" && saved.integer("code") == 7)
            #expect(saved.integer("weight") == 5)
        }
    }

    @Test(arguments: StoreKind.databases)
    func anErrorNamesTheConstraint(kind: StoreKind) throws {
        try withTags(kind, .error) { context throws in
            let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["label": "a"]])
            let update = NSBatchUpdateRequest(entityName: "Tag")
            update.propertiesToUpdate = ["label": "same"]
            let requests: [NSPersistentStoreRequest] = [insert, update]
            for request in requests {
                let error = caughtError { try context.execute(request) }
                #expect(error?.code == NSManagedObjectConstraintMergeError)
                #expect(error?.localizedDescription.contains("label") == true)
            }
            let left = try weights(context)
            #expect(left == ["a": 1, "b": 2, "c": 3])
        }
    }

    /// The row that is overwritten is then in the way of a third one.
    @Test(arguments: StoreKind.databases)
    func aRowThatCanNotTakeTheValuesOfAnotherStopsTheBatch(kind: StoreKind) throws {
        let model = try BatchTests.modelWithUniqueLabels()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["label"], ["weight"]]
        try withContext(kind, model: model) { context throws in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            for (label, weight) in [("a", 1), ("b", 2)] {
                context.make("Tag", ["label": label, "weight": weight])
            }
            try context.save()
            let request = NSBatchInsertRequest(
                entityName: "Tag",
                objects: [["label": "a", "weight": 2]]
            )
            #expect(throws: (any Error).self) { try context.execute(request) }
            #expect(try weights(context) == ["a": 1, "b": 2])
        }
    }
}
