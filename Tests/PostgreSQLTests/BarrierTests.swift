#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// Asking for what a server has now, and how far a first copy is.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct BarrierTests {
    @Test func afterABarrierFetchesFindWhatOthersHadSaved() async throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        // Nothing tells the second one by itself.
        try two.store.opened().feed.stop()
        let changes = Guarded(0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange,
            object: two.coordinator,
            queue: nil
        ) { _ in changes.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(token) }
        for number in 1...20 {
            try one.insert("Tag", ["label": "\(number)"])
            if number % 2 == 0 {
                try await two.coordinator.catchUpWithServers()
            } else {
                let error = try await completion {
                    two.coordinator.catchUpWithServers(timeout: 60, completionHandler: $0)
                }
                #expect(error == nil)
            }
            #expect(try two.values("Tag", "label").count == number)
            #expect(changes.withLock { $0 } == number)
        }
    }

    @Test func withoutServersABarrierIsPassedAtOnce() async throws {
        let stack = try TestStack(.sqlite)
        try await stack.coordinator.catchUpWithServers(timeout: 0)
        #expect(stack.coordinator.persistentStores.count == 1)
    }

    @Test func aServerThatDoesNotAnswerIsNotWaitedForLongerThanSaid() async throws {
        let server = try PostgreSQLServer()
        let database = try SharedDatabase(on: server)
        let machine = try database.machine("one")
        try machine.insert("Tag", ["label": "a"])
        try server.freeze()
        let error = await #expect(throws: CocoaError.self) {
            try await machine.coordinator.catchUpWithServers(timeout: 0.2)
        }
        #expect(error?.code.rawValue == NSPersistentStoreTimeoutError)
        #expect(error?.localizedDescription.contains("did not say in time") == true)
        try server.thaw()
        try await machine.coordinator.catchUpWithServers()
        machine.close()
        try server.stop()
    }

    @Test func aClosedStoreSaysSo() async throws {
        let database = try SharedDatabase()
        let machine = try database.machine("one")
        let store = machine.store
        machine.close()
        let result = try await completion { store.catchUp($0) }
        #expect(throws: CocoaError.self) { try result.get() }
    }

    // MARK: Progress

    private static let rowCount = 12_000

    private static func filled() throws -> SharedDatabase {
        let database = try SharedDatabase()
        let machine = try database.machine("one")
        try machine.perform { context in
            let objects = (0..<rowCount).map { ["label": "\($0)"] }
            _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: objects))
        }
        machine.close()
        return database
    }

    @Test func aFirstCopyTellsHowFarItIs() throws {
        let database = try Self.filled()
        let progress = Progress(totalUnitCount: -1)
        let options: [AnyHashable: Any] = [PostgreSQLProgressOption: progress]
        let two = try database.machine("two", options: options)
        #expect(progress.totalUnitCount == Int64(Self.rowCount + 1))
        #expect(progress.isFinished)
        two.close()
        // A copy that is there need not be made.
        let again = Progress(totalUnitCount: -1)
        _ = try database.machine("two", options: [PostgreSQLProgressOption: again])
        #expect(again.totalUnitCount == 1 && again.isFinished)
    }

    @Test func aFirstCopyThatIsCancelledLeavesNothingThatWouldBeTakenUp() throws {
        let database = try Self.filled()
        let progress = Progress(totalUnitCount: -1)
        progress.cancel()
        let error = #expect(throws: CocoaError.self) {
            try database.machine("two", options: [PostgreSQLProgressOption: progress])
        }
        #expect(error?.code == .userCancelled)
        #expect(progress.completedUnitCount == 0)
        let two = try database.machine("two")
        #expect(try two.values("Tag", "label").count == Self.rowCount)
    }
}
#endif
