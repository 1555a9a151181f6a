#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Deleting history on the server, for all machines.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct TrimmingTests {
    private static var options: [AnyHashable: Any] { [PostgreSQLTrimsServerHistoryOption: true] }

    /// Two machines with five saves, of which the second one has read as many as are said.
    private static func machines(
        _ options: [AnyHashable: Any] = options,
        readByTwo count: Int
    ) throws -> (database: SharedDatabase, one: Machine, two: Machine) {
        let database = try SharedDatabase()
        let one = try database.machine("one", options: options)
        let two = try database.machine("two")
        try two.store.opened().feed.stop()
        for number in 1...5 {
            try one.insert("Tag", ["label": "\(number)"])
            try one.catchUp()
            if number == count { try two.catchUp() }
        }
        return (database, one, two)
    }

    private static func trim(_ machine: Machine, before number: Int64) throws {
        let token = NSPersistentHistoryToken([machine.store.identifier: number])
        try machine.perform { context in
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: token)
            )
        }
    }

    private static func numbersOnServer(_ database: SharedDatabase) throws -> [Int64] {
        let result = try database.run(
            "SELECT DISTINCT t.number FROM $z_change c JOIN $z_transaction t ON t.seq = c.seq "
                + "ORDER BY 1"
        )
        return (0..<result.rowCount).map { result.integer($0, 0) }
    }

    @Test func historyIsDeletedOnTheServerOnlyWhereTheStoreIsAskedTo() throws {
        for (options, left) in [([:], [1, 2, 3, 4, 5]), (Self.options, [4, 5])]
            as [([AnyHashable: Any], [Int64])]
        {
            let (database, one, _) = try Self.machines(options, readByTwo: 5)
            try Self.trim(one, before: 4)
            #expect(try Self.numbersOnServer(database) == left)
            let records = try one.store.history(after: .unbounded, includesChanges: false)
            #expect(records.map(\.number) == [4, 5])
        }
    }

    /// Of the machine that has read up to just before what is left, nothing is missing.
    @Test(arguments: [1, 2, 3, 4, 5])
    func aMachineGoesOnOrCopiesAnewAndNeverMissesARow(count: Int) throws {
        let (database, one, two) = try Self.machines(readByTwo: count)
        let token = try #require(two.coordinator.currentPersistentHistoryToken(fromStores: nil))
        try Self.trim(one, before: 4)
        try one.insert("Tag", ["label": "6"])
        try database.expectSameRows(two)
        #expect(try two.values("Tag", "label") == ["1", "2", "3", "4", "5", "6"])
        let goesOn = count >= 3
        let number = Int64(count)
        if goesOn {
            let records = try two.store.history(after: .number(number), includesChanges: true)
            #expect(records.map(\.number) == Array(number + 1...6))
            #expect(records.allSatisfy { $0.changes.count == 1 })
        } else {
            let error = #expect(throws: CocoaError.self) {
                try two.perform { context in
                    _ = try context.execute(
                        NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                    )
                }
            }
            #expect(error?.code.rawValue == NSPersistentHistoryTokenExpiredError)
        }
    }

    @Test func aMachineThatIsOpenedAgainAfterwardsCopiesAnew() throws {
        let (database, one, two) = try Self.machines(readByTwo: 1)
        two.close()
        try Self.trim(one, before: 6)
        let again = try database.machine("two")
        try database.expectSameRows(again)
        #expect(try again.values("Tag", "label") == ["1", "2", "3", "4", "5"])
        #expect(throws: CocoaError.self) {
            try again.store.history(after: .number(1), includesChanges: false)
        }
    }

    @Test func aSaveOfAMachineThatIsBehindIsMadeOfWhatIsThere() throws {
        let (database, one, two) = try Self.machines(readByTwo: 1)
        try Self.trim(one, before: 6)
        try two.perform { context in
            try context.first("Tag", by: "label").setValue("changed", forKey: "label")
            try context.save()
        }
        for machine in [one, two] {
            try database.expectSameRows(machine)
            #expect(try machine.values("Tag", "label") == ["2", "3", "4", "5", "changed"])
        }
    }

    @Test func aDateDeletesWhatIsOlder() throws {
        let (database, one, two) = try Self.machines(readByTwo: 5)
        try database.run(
            "UPDATE $z_transaction SET at = CASE number WHEN 1 THEN 10 WHEN 2 THEN 20 WHEN 3 THEN 15 "
                + "ELSE 30 END"
        )
        // The third one is older than the second one, by the clock of another machine.
        let date = Date(timeIntervalSinceReferenceDate: 18)
        try one.perform { context in
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: date))
        }
        #expect(try Self.numbersOnServer(database) == [2, 3, 4, 5])
        try database.expectSameRows(two)
    }

    @Test func allOfItMayGoAndTheFeedGoesOn() throws {
        let (database, one, two) = try Self.machines(readByTwo: 5)
        try one.perform { context in
            let nothing: NSPersistentHistoryToken? = nil
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: nothing)
            )
        }
        #expect(try Self.numbersOnServer(database).isEmpty)
        try one.insert("Tag", ["label": "6"])
        try one.catchUp()
        #expect(try Self.numbersOnServer(database) == [6])
        try database.expectSameRows(two)
        let records = try two.store.history(after: .number(5), includesChanges: true)
        #expect(records.map(\.number) == [6])
    }

    /// The versions of deleted rows outlive the record of their deletion.
    @Test func aRowThatComesBackAfterwardsIsNotOverwritten() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one", options: Self.options)
        let two = try database.machine("two"), three = try database.machine("three")
        try one.insert("Tag", ["label": "a"])
        for machine in [two, three] {
            try machine.catchUp()
            try machine.store.opened().feed.stop()
        }
        let returning = two.context(.overwrite), late = three.context()
        // Used on their contexts' queues only.
        nonisolated(unsafe) var tags: [NSManagedObject] = []
        for context in [returning, late] {
            try context.performAndWait { tags.append(try context.first("Tag", by: "label")) }
        }
        try one.perform { context in
            context.delete(try context.first("Tag", by: "label"))
            try context.save()
        }
        try one.catchUp()
        try Self.trim(one, before: 3)
        try returning.performAndWait {
            tags[0].setValue("returned", forKey: "label")
            try returning.save()
        }
        late.performAndWait {
            tags[1].setValue("overwritten", forKey: "label")
            let error = #expect(throws: CocoaError.self) { try late.save() }
            #expect(error?.code.rawValue == NSManagedObjectMergeError)
        }
        let row = try database.run("SELECT \"ZLABEL\", \"Z_OPT\" FROM $\"ZTAG\"")
        #expect(row.text(0, 0) == "returned")
        #expect(row.integer(0, 1) == 2)
    }

    @Test func aReadOnlyStoreDeletesNoHistory() throws {
        let (database, _, _) = try Self.machines(readByTwo: 5)
        let options = Self.options.merging([NSReadOnlyPersistentStoreOption: true]) { $1 }
        let reader = try database.machine("reader", options: options)
        #expect(throws: CocoaError.self) { try Self.trim(reader, before: 4) }
        #expect(try Self.numbersOnServer(database) == [1, 2, 3, 4, 5])
    }
}
#endif
