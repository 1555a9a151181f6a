#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// After a crash a server gives the numbers of its transactions again: nothing may go by them.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct ReuseTests {
    /// What is known of the transaction of a save that was cut off before its commit.
    private struct Lost {
        var number = ""
        var isReused = false
        var error: (any Error)?
    }

    private static func number(_ database: SharedDatabase) throws -> String {
        try database.run(
            "SELECT backend_xid::text FROM pg_stat_activity WHERE backend_xid IS NOT NULL "
                + "AND pid <> pg_backend_pid()"
        )
        .text(0, 0)
    }

    /// Crashes a server in the midst of a transaction, and has others take its number.
    private static func crash(_ server: PostgreSQLServer, _ database: SharedDatabase) -> Lost {
        var lost = Lost()
        do {
            lost.number = try number(database)
            try server.crashAndRestart()
            for _ in 0..<5 { try database.run("INSERT INTO $reuse VALUES (1)") }
            let status = try database.run(
                "SELECT coalesce(pg_xact_status('\(lost.number)'), '')"
            )
            lost.isReused = status.text(0, 0) == "committed"
        } catch {
            lost.error = error
        }
        return lost
    }

    /// By its number the save would count, and be acknowledged without being there: with an outcome
    /// that asks `pg_xact_status` this test fails.
    @Test func aSaveIsNotTakenForAnotherOneThatHasItsNumber() throws {
        let server = try PostgreSQLServer()
        let database = try SharedDatabase(on: server)
        let proxy = try CuttingProxy(server)
        let machine = try Machine(
            proxy.url,
            SampleModel.make(),
            database.options("proxied"),
            database: database
        )
        let other = try database.machine("other")
        // Nobody else writes, so that the number is not made durable by chance.
        for machine in [machine, other] { try machine.store.opened().feed.stop() }
        try database.run("CREATE TABLE $reuse (number int8)")
        try machine.insert("Tag", ["label": "save 0000"])
        var labels = ["save 0000"], reuseCount = 0
        // The writer of the server's log may be faster, once in a while.
        for round in 1...20 where reuseCount < 3 {
            let before = proxy.byteCount
            labels.append("save \(1_000 + round)")
            try machine.insert("Tag", ["label": labels[labels.count - 1]])
            // All of the same save but the end of its commit.
            let rest = 20, byteCount = proxy.byteCount - before
            let lost = Guarded(Lost())
            proxy.cut(after: byteCount - rest, .toServer) {
                let found = Self.crash(server, database)
                lost.withLock { $0 = found }
            }
            labels.append("save \(2_000 + round)")
            try machine.insert("Tag", ["label": labels[labels.count - 1]])
            proxy.pass()
            let found = lost.withLock { $0 }
            if let error = found.error { throw error }
            if found.isReused { reuseCount += 1 }
            let there = try database.run("SELECT \"ZLABEL\" FROM $\"ZTAG\"")
            let onServer = (0..<there.rowCount).map { there.text($0, 0) }
            #expect(onServer.sorted() == labels.sorted(), "transaction \(found.number)")
        }
        #expect(reuseCount == 3)
        // And the feed has told of each of them.
        for machine in [machine, other] { try database.expectSameRows(machine) }
        #expect(try other.store.lastTransactionNumber() == Int64(labels.count))
        let records = try other.store.history(after: .unbounded, includesChanges: true)
        #expect(records.map(\.changes.count) == labels.map { _ in 1 })
        machine.close()
        other.close()
        try proxy.stop()
        try server.stop()
    }
}
#endif
