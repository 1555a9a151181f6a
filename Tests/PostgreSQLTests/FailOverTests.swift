#if PostgreSQL
import CoreData
import Foundation
import MergeStack
import TestSupport
import Testing
import Threads

@testable import CoreData

/// Servers that have lost what they had confirmed.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct FailOverTests {
    /// Machines of which all know a tag "kept" when the copy is made that the server returns to.
    private static func withServer(
        _ count: Int,
        _ body: (PostgreSQLServer, SharedDatabase, [Machine]) throws -> Void
    ) throws {
        let server = try PostgreSQLServer()
        let database = try SharedDatabase(on: server)
        let machines = try (0..<count).map { try database.machine("\($0)") }
        try machines[0].insert("Tag", ["label": "kept"])
        for machine in machines {
            try machine.catchUp()
            // What follows is at the test's command.
            try machine.store.opened().feed.stop()
        }
        try server.keepCopy()
        try body(server, database, machines)
        for machine in machines { machine.close() }
        try server.stop()
    }

    private static func rename(_ machine: Machine, to label: String) throws {
        try machine.perform { context in
            try context.first("Tag", by: "label").setValue(label, forKey: "label")
            try context.save()
        }
    }

    /// The code of the error for a history request by a token.
    private static func code(_ machine: Machine, after token: NSPersistentHistoryToken) -> Int? {
        do {
            try machine.perform { context in
                _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
            }
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    @Test func replicasAreCopiedAnewByThemselvesAndOldTokensHaveExpired() throws {
        try Self.withServer(2) { server, database, machines in
            try machines[0].insert("Tag", ["label": "lost"])
            var tokens: [NSPersistentHistoryToken] = []
            for machine in machines {
                try machine.catchUp()
                #expect(try machine.store.lastTransactionNumber() == 2)
                let token = machine.coordinator.currentPersistentHistoryToken(fromStores: nil)
                tokens.append(try #require(token))
            }
            try server.returnToCopy()
            for (machine, token) in zip(machines, tokens) {
                try database.expectSameRows(machine)
                #expect(try machine.values("Tag", "label") == ["kept"])
                #expect(Self.code(machine, after: token) == NSPersistentHistoryTokenExpiredError)
            }
            // Also when as many have been saved again as were lost.
            try machines[1].insert("Tag", ["label": "new"])
            for (machine, token) in zip(machines, tokens) {
                try database.expectSameRows(machine)
                #expect(try machine.values("Tag", "label") == ["kept", "new"])
                #expect(Self.code(machine, after: token) == NSPersistentHistoryTokenExpiredError)
                // What follows the copy is told.
                let records = try machine.store.history(after: .unbounded, includesChanges: true)
                #expect(records.last?.changes.count == 1)
            }
        }
    }

    /// The number of what was lost belongs to another save by the time that it is looked for.
    @Test func aNumberThatWasGivenAgainIsNotTakenForTheOldOne() throws {
        try Self.withServer(2) { server, database, machines in
            try machines[0].insert("Tag", ["label": "lost"])
            try machines[0].catchUp()
            let token = machines[0].coordinator.currentPersistentHistoryToken(fromStores: nil)
            try server.returnToCopy()
            for label in ["new 1", "new 2"] {
                try machines[1].insert("Tag", ["label": label])
                try machines[1].catchUp()
            }
            try database.expectSameRows(machines[0])
            #expect(try machines[0].values("Tag", "label") == ["kept", "new 1", "new 2"])
            let code = Self.code(machines[0], after: try #require(token))
            #expect(code == NSPersistentHistoryTokenExpiredError)
        }
    }

    @Test(arguments: [false, true])
    func anOwnSaveThatIsLostBeforeItHasANumberLeavesTheReplica(isOpenedAgain: Bool) throws {
        try Self.withServer(1) { server, database, machines in
            var machine = machines[0]
            try machine.insert("Tag", ["label": "lost"])
            #expect(try machine.store.lastTransactionNumber() == 1)
            if isOpenedAgain { machine.close() }
            try server.returnToCopy()
            if isOpenedAgain { machine = try database.machine("0") }
            try database.expectSameRows(machine)
            #expect(try machine.values("Tag", "label") == ["kept"])
            machine.close()
        }
    }

    /// Rows of before and after the loss have one version, and not the same values.
    @Test func aSaveOnTopOfALostRowIsAConflict() throws {
        try Self.withServer(2) { server, database, machines in
            try Self.rename(machines[0], to: "lost")
            let early = machines[0].context(), late = machines[0].context()
            // Used on their contexts' queues only.
            nonisolated(unsafe) var tags: [NSManagedObject] = []
            for context in [early, late] {
                try context.performAndWait { tags.append(try context.first("Tag", by: "label")) }
            }
            try server.returnToCopy()
            try Self.rename(machines[1], to: "new")
            // The first one finds out by its own save, the second one comes when all is known.
            for (index, context) in [early, late].enumerated() {
                context.performAndWait {
                    let tag = tags[index]
                    tag.setValue("overwritten", forKey: "label")
                    let error = #expect(throws: CocoaError.self) { try context.save() }
                    #expect(error?.code.rawValue == NSManagedObjectMergeError)
                    context.refresh(tag, mergeChanges: false)
                    #expect(tag.value(forKey: "label") as? String == "new")
                }
            }
            try early.performAndWait {
                tags[0].setValue("newer", forKey: "label")
                try early.save()
            }
            for machine in machines {
                try database.expectSameRows(machine)
                #expect(try machine.values("Tag", "label") == ["newer"])
            }
        }
    }

    @Test @MainActor func aMainContextShowsWhatTheServerHasLeft() async throws {
        let server = try PostgreSQLServer()
        let database = try SharedDatabase(on: server)
        let machine = try database.machine("one"), other = try database.machine("two")
        try machine.insert("Tag", ["label": "kept"])
        try server.keepCopy()
        try other.catchUp()
        try other.insert("Tag", ["label": "lost"])
        try Self.rename(other, to: "lost, too")
        try machine.catchUp()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = machine.coordinator
        let isTold = Guarded(false)
        let options = MergeOptions(remoteChanges: .merged) { report in
            if report.origin == .expiredHistory { isTold.withLock { $0 = true } }
        }
        let merger = DidSaveMerger(into: main, options: options)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
        let shown = try main.fetch(request)
        #expect(shown.map { $0.value(forKey: "label") as? String } == ["lost", "lost, too"])
        try server.returnToCopy()
        // By itself: a store looks once a second.
        try await eventually("a report that the history has expired") { isTold.withLock { $0 } }
        // Without a refresh of the test's own: the object has been read again.
        #expect(shown.last?.value(forKey: "label") as? String == "kept")
        let left = try main.fetch(request)
        #expect(left.map { $0.value(forKey: "label") as? String } == ["kept"])
        #expect(left.first === shown.last)
        merger.invalidate()
        machine.close()
        other.close()
        try server.stop()
    }
}
#endif
