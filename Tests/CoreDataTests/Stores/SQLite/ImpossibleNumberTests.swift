import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Keys and versions that leave no room for the next one: sums would stop the process.
@Suite struct ImpossibleNumberTests {
    /// The largest number, and the largest key that references have bits for.
    private static let largest = ["9223372036854775807", "140737488355327"]

    private func edit(_ sql: String, _ stack: TestStack) throws {
        let connection = try SQLiteConnection(ConnectionSettings(path: stack.url.path))
        try connection.execute(sql)
    }

    @Test(arguments: ImpossibleNumberTests.largest, [false, true])
    func keysThatAreUsedUpStopInsertsOnly(_ maximum: String, isReopened: Bool) throws {
        let stack = try TestStack(.sqlite)
        var context = stack.makeContext()
        try context.onQueue {
            context.insert("Tag", ["label": "a"])
            try context.save()
        }
        try edit("UPDATE Z_PRIMARYKEY SET Z_MAX = \(maximum)", stack)
        if isReopened {
            try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
            _ = try stack.coordinator.addPersistentStore(type: .sqlite, at: stack.url)
            context = stack.makeContext()
        }
        try context.onQueue {
            let new = context.insert("Tag", ["label": "b"])
            let save = #expect(throws: CocoaError.self) { try context.save() }
            #expect(save?.code.rawValue == NSPersistentStoreSaveError)
            let claim = #expect(throws: CocoaError.self) {
                try context.obtainPermanentIDs(for: [new])
            }
            #expect(claim?.code.rawValue == NSPersistentStoreSaveError)
            context.rollback()
            let tag = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).first
            )
            tag.setValue("c", forKey: "label")
            try context.save()
        }
    }

    private static let numberModel = makeModel([
        makeEntity(
            "Number",
            [
                makeAttribute("double", .doubleAttributeType),
                makeAttribute("float", .floatAttributeType),
                makeAttribute("date", .dateAttributeType),
                makeAttribute("decimal", .decimalAttributeType),
            ]
        )
    ])

    private func withNumbers(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.numberModel)
        _ = try coordinator.addPersistentStore(
            type: .sqlite,
            at: URL(fileURLWithPath: "/dev/null")
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.onQueue { try body(context) }
    }

    static let noNumbers: [(key: String, value: any Sendable, code: Int)] = [
        ("double", Double.nan, NSManagedObjectValidationError),
        ("float", Float.nan, NSManagedObjectValidationError),
        ("date", Date(timeIntervalSinceReferenceDate: .nan), NSValidationInvalidDateError),
    ]

    /// SQLite has NULL for it, which would be another value after the save.
    @Test(arguments: noNumbers.indices)
    func whatIsNotANumberIsRefused(_ index: Int) throws {
        let (key, value, code) = Self.noNumbers[index]
        try withNumbers { context in
            let number = context.insert("Number", [key: value])
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == code)
            #expect(error?.localizedDescription.contains("Number.\(key)") == true)
            // Foundation can't print such a date.
            #expect(String(describing: error).contains("\(code)"))
            #expect(number.description.contains("nan"))
            number.setValue(nil, forKey: key)
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Number")
            update.propertiesToUpdate = [key: value]
            #expect(throws: CocoaError.self) { try context.execute(update) }
            let insert = NSBatchInsertRequest(entityName: "Number", objects: [[key: value]])
            #expect(throws: CocoaError.self) { try context.execute(insert) }
            let handled = NSBatchInsertRequest(
                entityName: "Number",
                managedObjectHandler: { object in
                    defer { object.setValue(value, forKey: key) }
                    return object.value(forKey: key) != nil
                }
            )
            #expect(throws: CocoaError.self) { try context.execute(handled) }
            #expect(
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Number")) == 1
            )
        }
    }

    @Test func theLargestDecimalsStayNumbers() throws {
        try withNumbers { context in
            for value in [NSDecimalNumber.maximum, NSDecimalNumber.minimum] {
                let number = context.insert("Number", ["decimal": value])
                try context.save()
                context.refresh(number, mergeChanges: false)
                let stored = try #require(number.value(forKey: "decimal") as? NSDecimalNumber)
                #expect(abs(stored.doubleValue / value.doubleValue - 1) < 1e-15)
            }
        }
    }

    @Test func theLargestVersionIsFollowedByAnother() throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext()
        try context.onQueue {
            let tag = context.insert("Tag", ["label": "a"])
            try context.save()
            try edit("UPDATE ZTAG SET Z_OPT = \(Int32.max)", stack)
            context.refresh(tag, mergeChanges: false)
            for label in ["b", "c", "d"] {
                tag.setValue(label, forKey: "label")
                try context.save()
                context.refresh(tag, mergeChanges: false)
                #expect(tag.value(forKey: "label") as? String == label)
            }
        }
    }

    @Test(arguments: ImpossibleNumberTests.largest)
    func numbersOfTheHistoryThatAreUsedUpAreErrors(_ maximum: String) throws {
        let stack = try TestStack(
            .sqlite,
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        )
        let context = stack.makeContext()
        try context.onQueue {
            context.insert("Tag", ["label": "a"])
            try context.save()
            let token = stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
            let later = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let whole: NSPersistentHistoryToken? = nil
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: whole))
            try edit("UPDATE Z_PRIMARYKEY SET Z_MAX = \(maximum) WHERE Z_ENT >= 16000", stack)
            let error = #expect(throws: CocoaError.self) { try context.execute(later) }
            #expect(error?.code.rawValue == NSPersistentHistoryTokenExpiredError)
            context.insert("Tag", ["label": "b"])
            guard maximum == Self.largest[0] else { return try context.save() }
            let save = #expect(throws: CocoaError.self) { try context.save() }
            #expect(save?.code.rawValue == NSPersistentStoreSaveError)
            #expect(context.hasChanges)
        }
    }
}
