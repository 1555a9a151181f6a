#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Saves that others overtake between their last statement and their commit: later saves, and readings
/// of the feed.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct OvertakingTests {
    /// Where saves that change objects of an entity wait before they commit, until it is opened.
    private final class Gate: Sendable {
        private let database: SharedDatabase
        /// Has the lock for which the saves wait.
        private let holder: PostgreSQLConnection
        private let number = Int32.random(in: 1...Int32.max)

        init(_ entity: String, _ machine: Machine, _ database: SharedDatabase) throws {
            self.database = database
            holder = try PostgreSQLConnection(ServerAddress(database.url, options: nil))
            _ = try holder.run("SELECT pg_advisory_lock(\(number))")
            let store = try machine.store.opened().schema.store
            let layout = try #require(store.model.entities.first { $0.name == entity })
            try database.run(
                "CREATE FUNCTION $wait() RETURNS trigger LANGUAGE plpgsql AS "
                    + "'BEGIN PERFORM pg_advisory_xact_lock(\(number)); RETURN NEW; END'"
            )
            try database.run(
                "CREATE TRIGGER wait BEFORE INSERT ON $z_change FOR EACH ROW "
                    + "WHEN (NEW.entity = \(store.numbers[layout.index])) EXECUTE FUNCTION $wait()"
            )
        }

        /// Waits until a save waits.
        func waitForSave() async throws {
            try await eventually("a save at the gate") {
                let waiting = try? database.run(
                    "SELECT count(*) FROM pg_locks "
                        + "WHERE locktype = 'advisory' AND objid = \(number) AND NOT granted"
                )
                return waiting?.integer(0, 0) == 1
            }
        }

        func open() throws { _ = try holder.run("SELECT pg_advisory_unlock(\(number))") }
    }

    /// Saves wait as long as the test needs, on a busy machine, too.
    private static var patience: [AnyHashable: Any] { [NSPersistentStoreTimeoutOption: 600] }

    /// Does something on a thread of its own.
    private static func result(
        of body: @escaping @Sendable () throws -> Void
    ) async throws -> Result<Void, any Error> {
        try await completion { done in
            DispatchQueue.global().async { done(Result { try body() }) }
        }
    }

    /// A save draws its place in the order of saves before it commits, and its number in the feed is
    /// given afterwards: whoever read up to the place of a later one would miss it.
    @Test func aSaveThatCommitsAfterALaterOneIsReadAllTheSame() async throws {
        let database = try SharedDatabase()
        let machines = try ["one", "two", "three"].map {
            try database.machine($0, options: Self.patience)
        }
        let gate = try Gate("Department", machines[0], database)
        async let slow = Self.result {
            try machines[0].insert("Department", ["name": "Kitchen"])
        }
        try await gate.waitForSave()
        try machines[1].insert("Tag", ["label": "a"])
        for machine in machines[1...] {
            try machine.catchUp()
            #expect(try machine.values("Tag", "label") == ["a"])
            #expect(try machine.values("Department", "name").isEmpty)
        }
        try gate.open()
        try await slow.get()
        for machine in machines {
            try database.expectSameRows(machine)
            #expect(try machine.values("Department", "name") == ["Kitchen"])
            let records = try machine.store.history(after: .unbounded, includesChanges: true)
            #expect(records.map(\.number) == [1, 2])
            #expect(records.map(\.changes.count) == [1, 1])
        }
    }

    /// The page of the feed that is read meanwhile has the relationships as they were before the save:
    /// written after it, it would take away what the save has added.
    @Test func aPageThatASaveHasOvertakenIsReadAgain() async throws {
        let database = try SharedDatabase()
        let one = try database.machine("one", options: Self.patience)
        let two = try database.machine("two", options: Self.patience)
        try one.insert("Person", ["name": "Ann"])
        try two.catchUp()
        // It reads when it is told to.
        try one.store.opened().feed.stop()
        try two.addTag("a")
        try two.catchUp()
        let gate = try Gate("Tag", one, database)
        async let save = Self.result { try one.addTag("b") }
        try await gate.waitForSave()
        let start = try database.run("SELECT now()::text").text(0, 0)
        async let reading = Self.result { try one.catchUp() }
        try await eventually("the page") {
            let read = try? database.run(
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle' "
                    + "AND query = 'COMMIT' AND backend_start > '\(start)'"
            )
            return (read?.integer(0, 0) ?? 0) > 0
        }
        try gate.open()
        try await save.get()
        try await reading.get()
        for machine in [one, two] {
            try database.expectSameRows(machine)
            try machine.perform { context in
                let person = try context.first("Person", by: "name")
                #expect(person.value(forKeyPath: "tags.label") as? NSSet == ["a", "b"])
            }
        }
    }
}
#endif
