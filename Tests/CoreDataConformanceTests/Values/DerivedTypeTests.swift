import CoreData
import TestSupport
import Testing

/// Derived attributes of all types, which follow another row without a new version of their own.
@Suite struct DerivedTypeTests {
    private static let kinds: [(String, NSAttributeType)] = [
        ("flag", .booleanAttributeType), ("size", .doubleAttributeType),
        ("bytes", .binaryDataAttributeType), ("price", .decimalAttributeType),
        ("number", .integer32AttributeType), ("text", .stringAttributeType),
        ("day", .dateAttributeType),
    ]

    /// Items that show all values of the box that they are in.
    private static func model() -> NSManagedObjectModel {
        let box = RulesModel.entity("Box", Dictionary(uniqueKeysWithValues: kinds))
        let item = RulesModel.entity("Item", ["name": .stringAttributeType])
        RulesModel.relate(box, "items", .nullifyDeleteRule, 0, item, "box", 1)
        item.properties += kinds.map { name, type in
            let derived = NSDerivedAttributeDescription()
            derived.name = "box\(name)"
            derived.attributeType = type
            derived.isOptional = true
            derived.derivationExpression = NSExpression(format: "box.\(name)")
            return derived
        }
        let model = NSManagedObjectModel()
        model.entities = [box, item]
        return model
    }

    private static func values(_ number: Int) -> [String: NSObject] {
        [
            "flag": NSNumber(value: number % 2 == 1), "size": NSNumber(value: Double(number) + 0.5),
            "bytes": NSData(bytes: [UInt8(number)], length: 1),
            "price": NSDecimalNumber(value: number), "number": NSNumber(value: number),
            "text": NSString(string: "\(number)"),
            "day": NSDate(timeIntervalSinceReferenceDate: Double(number)),
        ]
    }

    private func derived(_ item: NSManagedObject) -> [String: NSObject] {
        let names = Self.kinds.map(\.0)
        let pairs = names.map { ($0, item.value(forKey: "box\($0)") as? NSObject) }
        return Dictionary(uniqueKeysWithValues: pairs).compactMapValues(\.self)
    }

    @Test func fetchesShowWhatATriggerHasWritten() throws {
        try withStack(.sqlite, model: Self.model()) { stack throws in
            let reader = stack.makeContext()
            let other = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            _ = try other.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url
            )
            let writer = other.makeContext()
            let (box, item) = try writer.onQueue {
                let box = writer.make("Box", Self.values(1))
                let item = writer.make("Item", ["box": box])
                try writer.save()
                return (box, item.objectID.uriRepresentation())
            }
            let id = try #require(stack.coordinator.managedObjectID(forURIRepresentation: item))
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.shouldRefreshRefetchedObjects = true
            func shown() throws -> [String: NSObject] {
                try reader.onQueue {
                    let item = try #require(try reader.fetch(request).first)
                    #expect(item.objectID == id)
                    // Held by the context's own array until the next fetch.
                    return derived(item)
                }
            }
            let held = try reader.onQueue { try reader.fetch(request) }
            #expect(try shown() == Self.values(1))
            for number in 2...4 {
                try writer.onQueue {
                    for (key, value) in Self.values(number) { box.setValue(value, forKey: key) }
                    try writer.save()
                }
                #expect(try shown() == Self.values(number))
            }
            // One value after the other, so that each alone tells that the row is another one.
            for name in Self.kinds.map(\.0) {
                try writer.onQueue {
                    box.setValue(Self.values(7)[name], forKey: name)
                    try writer.save()
                }
                #expect(try shown()[name] == Self.values(7)[name])
            }
            for name in Self.kinds.map(\.0) {
                try writer.onQueue {
                    box.setValue(nil, forKey: name)
                    try writer.save()
                }
                #expect(try shown()[name] == nil)
            }
            #expect(try shown().isEmpty)
            reader.onQueue { withExtendedLifetime(held) {} }
        }
    }

    /// Batches write no objects, and triggers follow them all the same.
    @Test func aBatchUpdateReachesWhatIsDerivedFromItsRows() throws {
        try withContext(.sqlite, model: Self.model()) { context throws in
            let box = context.make("Box", Self.values(1))
            let item = context.make("Item", ["box": box])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Box")
            update.propertiesToUpdate = ["text": "new", "number": 9]
            try context.execute(update)
            context.refresh(item, mergeChanges: false)
            #expect(item.text("boxtext") == "new" && item.integer("boxnumber") == 9)
        }
    }

    @Test func whatIsDerivedFromNothingStaysNothing() throws {
        let empty = NSDerivedAttributeDescription()
        empty.name = "empty"
        empty.attributeType = .stringAttributeType
        empty.isOptional = true
        let model = Self.model()
        model.entitiesByName["Item"]?.properties.append(empty)
        try withContext(.inMemory, model: model) { context in
            let item = context.make("Item", ["name": "i"])
            try context.save()
            #expect(item.text("empty") == nil && item.text("name") == "i")
        }
    }
}
