#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The feed as histories of the stores that follow it.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct FeedTests {
    private static func history(_ machine: Machine) throws -> [String] {
        try machine.catchUp()
        return try machine.store.history(after: .unbounded, includesChanges: true).map { record in
            let changes = record.changes.map { change in
                "\(change.type.rawValue) \(change.reference.primaryKey > 0)"
                    + " \(change.properties.sorted())"
            }
            return "\(record.number) \(record.author ?? "-") \(changes.joined(separator: ", "))"
        }
    }

    @Test func historiesAreTheSameOnAllMachines() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        for (index, machine) in [one, two, one].enumerated() {
            try machine.catchUp()
            try machine.perform { context in
                context.transactionAuthor = "author \(index)"
                let tag =
                    index == 0
                    ? NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                    : try context.first("Tag", by: "label")
                tag.setValue("\(index)", forKey: "label")
                if index == 2 { context.delete(tag) }
                try context.save()
            }
        }
        let expected = [
            "1 author 0 0 true []", "2 author 1 1 true [\"label\"]", "3 author 2 2 true []",
        ]
        #expect(try Self.history(one) == expected)
        #expect(try Self.history(two) == expected)
    }

    /// Notifications are hints: here nobody sends one, and a store looks once a second.
    @Test func aSaveOfWhichNobodyIsNotifiedArrivesAllTheSame() async throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try one.store.opened().feed.stop()
        try one.insert("Tag", ["label": "a"])
        try await eventually("the save") { (try? two.values("Tag", "label")) == ["a"] }
        #expect(try two.store.lastTransactionNumber() == 1)
    }

    @Test func aTokenFromBeforeTheFirstCopyHasExpired() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        try one.catchUp()
        let two = try database.machine("two")
        #expect(try two.store.lastTransactionNumber() == 1)
        #expect(throws: CocoaError.self) {
            try two.store.history(after: .number(0), includesChanges: false)
        }
        #expect(try two.store.history(after: .number(1), includesChanges: false).isEmpty)
    }

    @Test func valuesThatOutliveTheirRowsAreInAllHistories() throws {
        func model() -> NSManagedObjectModel {
            let model = SampleModel.make()
            let label = model.entitiesByName["Tag"]?.attributesByName["label"]
            label?.preservesValueInHistoryOnDeletion = true
            return model
        }
        let database = try SharedDatabase()
        let one = try database.machine("one", model: model())
        let two = try database.machine("two", model: model())
        try one.insert("Tag", ["label": "kept"])
        try one.perform { context in
            context.delete(try context.first("Tag", by: "label"))
            try context.save()
        }
        for machine in [one, two] {
            try machine.catchUp()
            let records = try machine.store.history(after: .unbounded, includesChanges: true)
            #expect(records.last?.changes.first?.tombstone["label"] as? String == "kept")
        }
    }

    /// Between the server's commit and the replica's, which may fail, a page of the feed may be read.
    @Test func aSaveThatTheReplicaIsNotKnownToHaveIsReadAsOthersAre() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try one.store.opened().feed.stop()
        try two.insert("Tag", ["label": "a"])
        let result = try database.run("SELECT save FROM $z_transaction")
        let save = try #require(result.uuid(0, 0))
        // As if it were one's own, and its replica had refused it a moment ago.
        try one.store.opened().follower.didCommit([save], OvertakingChanges())
        try one.catchUp()
        #expect(try one.values("Tag", "label") == ["a"])
    }

    @Test func aStoreThatSavesWithoutEndIsBroughtUpToDateAllTheSame() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            let machine = worker % 2 == 0 ? one : two
            for index in 0..<20 {
                do {
                    try machine.insert("Tag", ["label": "\(worker) \(index)"])
                } catch {
                    Issue.record(error)
                }
            }
        }
        for machine in [one, two] {
            try machine.catchUp()
            #expect(try machine.values("Tag", "label").count == 80)
            #expect(try machine.store.lastTransactionNumber() == 80)
            let numbers = try machine.store.history(after: .unbounded, includesChanges: false)
                .map(\.number)
            #expect(numbers == Array(1...80))
        }
    }
}
#endif
