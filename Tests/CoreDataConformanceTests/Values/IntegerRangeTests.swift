import CoreData
import Foundation
import TestSupport
import Testing

/// Integers that an attribute can't hold are refused by validation; none is stored as another one.
@Suite struct IntegerRangeTests {
    private static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Count"
        entity.managedObjectClassName = "NSManagedObject"
        let types: [(String, NSAttributeType)] = [
            ("short", .integer16AttributeType), ("plain", .integer32AttributeType),
            ("long", .integer64AttributeType),
        ]
        entity.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private static let tooLarge = NSValidationNumberTooLargeError
    private static let tooSmall = NSValidationNumberTooSmallError

    private static nonisolated(unsafe) let refused: [(key: String, value: Any, code: Int)] = [
        ("short", 99_999, tooLarge), ("short", 32_768, tooLarge), ("short", -32_769, tooSmall),
        ("short", UInt64.max, tooLarge), ("short", NSNumber(value: 70_000), tooLarge),
        ("plain", Int64(Int32.max) + 1, tooLarge), ("plain", Int64(Int32.min) - 1, tooSmall),
        ("plain", 1e10, tooLarge), ("plain", NSDecimalNumber(string: "-1e12"), tooSmall),
        ("long", 1e30, tooLarge), ("long", -Double.infinity, tooSmall),
        ("long", UInt64.max, tooLarge), ("long", NSDecimalNumber(string: "1e20"), tooLarge),
        ("short", Double.nan, tooLarge), ("plain", Double.nan, tooLarge),
        ("long", Double.nan, tooLarge),
    ]

    @Test(arguments: StoreKind.allCases)
    func numbersOutOfRangeAreRefused(kind: StoreKind) throws {
        try withContext(kind, model: Self.model()) { context in
            for (key, value, code) in Self.refused {
                let object = context.make("Count", [key: value])
                // Until then it is what was set.
                let read = try #require(object.value(forKey: key) as? NSNumber).doubleValue
                let given = try #require(Double("\(value)"))
                #expect(read == given || read.isNaN && given.isNaN, "\(key) = \(value)")
                let error = try #require(caughtError(context.save), "\(key) = \(value)")
                #expect(error.code == code, "\(key) = \(value)")
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
                var checked: Any? = value
                let refusal = errorCode { try object.validateValue(&checked, forKey: key) }
                #expect(refusal == code)
                object.setValue(1, forKey: key)
                try context.save()
                object.setValue(value, forKey: key)
                #expect(errorCode(context.save) == code)
                context.rollback()
                #expect(object.integer(key) == 1)
            }
        }
    }

    @Test func theErrorNamesTheRange() throws {
        try withContext(.inMemory, model: Self.model()) { context in
            context.make("Count", ["short": 99_999])
            let error = try #require(caughtError(context.save))
            #expect(error.localizedDescription.contains("-32768 to 32767"))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func numbersInRangeAreStoredWithoutTheirFraction(kind: StoreKind) throws {
        let values: [(key: String, value: Any, stored: Int)] = [
            ("short", 32_767, 32_767), ("short", -32_768, -32_768), ("short", 2.9, 2),
            ("short", NSDecimalNumber(string: "-3.7"), -3), ("short", UInt8(200), 200),
            ("plain", Int32.max, Int(Int32.max)), ("plain", Int32.min, Int(Int32.min)),
            ("long", Int64.max, Int.max), ("long", Int64.min, Int.min),
            ("long", -1e12, -1_000_000_000_000),
            ("long", UInt64(Int64.max), Int.max), ("plain", true, 1),
        ]
        try withContext(kind, model: Self.model()) { context in
            for (key, value, stored) in values {
                let object = context.make("Count", [key: value])
                try context.save()
                context.refresh(object, mergeChanges: false)
                #expect(object.integer(key) == stored, "\(key) = \(value)")
            }
        }
    }

    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    @Test func batchRequestsRefuseThemToo() throws {
        try withContext(.sqlite, model: Self.model()) { context in
            for (key, value, _) in Self.refused {
                let insert = NSBatchInsertRequest(entityName: "Count", objects: [[key: value]])
                #expect(caughtError { _ = try context.execute(insert) } != nil, "\(key) = \(value)")
                let update = NSBatchUpdateRequest(entityName: "Count")
                update.propertiesToUpdate = [key: value]
                #expect(caughtError { _ = try context.execute(update) } != nil, "\(key) = \(value)")
            }
            var isDone = false
            let insert = NSBatchInsertRequest(
                entityName: "Count",
                managedObjectHandler: { object in
                    object.setValue(99_999, forKey: "short")
                    defer { isDone = true }
                    return isDone
                }
            )
            #expect(caughtError { _ = try context.execute(insert) } != nil)
            let count = try context.number("Count")
            #expect(count == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aChildSeesTheNearestIntegerOfWhatItsParentHasNotSaved(kind: StoreKind) throws {
        try withStack(kind, model: Self.model()) { stack in
            let parent = stack.makeContext(), child = Family.makeChild(of: parent, "child")
            let id = parent.onQueue { parent.make("Count", ["long": 1e30]).objectID }
            try child.onQueue {
                #expect(try child.existingObject(with: id).integer("long") == Int.max)
                child.make("Count", ["short": 99_999])
                #expect(errorCode(child.save) == Self.tooLarge)
                _ = try child.number("Count")
            }
        }
    }
}
