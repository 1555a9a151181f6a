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
