#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Saves of so many new rows that the server gets the first ones while the replica writes the next.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct RowsAheadTests {
    private static let count = 3 * StoreWriter.rowsAtOnce - 40

    private static func insert(_ labels: [String], _ machine: Machine) throws {
        try machine.perform { context in
            for label in labels {
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                tag.setValue(label, forKey: "label")
            }
            try context.save()
        }
    }

    private static func labels(_ stem: String) -> [String] { (0..<count).map { "\(stem) \($0)" } }

    private static func model() -> NSManagedObjectModel {
        let model = SampleModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["label"]]
        return model
    }

    // MARK: Statements in parts

    @Test func theServerRunsAPartBeforeTheNextOneComes() async throws {
        let database = try SharedDatabase()
        let session = ServerSession(try ServerAddress(database.url, options: nil), label: "test")
        let number = Int32.random(in: 1...Int32.max)
        @Sendable func lockCount() -> Int64? {
            let query =
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = \(number)"
            return try? database.run(query).integer(0, 0)
        }
        let beginning = [
            PostgreSQLCommand("BEGIN"),
            PostgreSQLCommand("SELECT pg_advisory_xact_lock(\(number))"),
        ]
        for isAbandoned in [false, true] {
            let stream = StatementStream(session)
            stream.add(beginning)
            try await eventually("the lock") { lockCount() == 1 }
            if isAbandoned {
                stream.abandon()
            } else {
                try stream.end([PostgreSQLCommand("COMMIT")])
            }
            #expect(lockCount() == 0)
        }
        let stream = StatementStream(session)
        stream.add(beginning + [PostgreSQLCommand("SELECT 1 / 0")])
        let error = #expect(throws: PostgreSQLError.self) {
            try stream.end([PostgreSQLCommand("COMMIT")])
        }
        #expect(error?.kind == .refused(state: "22012"))
        #expect(lockCount() == 0)
        session.close()
    }

    // MARK: Saves

    @Test(arguments: CuttingProxy.Direction.allCases)
    func aSaveThatIsCutInAnyPartCountsOnce(direction: CuttingProxy.Direction) throws {
        try SharedDatabase.withProxy { database, machine, proxy in
            let step = direction == .toServer ? 5_003 : 101
            var byteCount = 1, saveCount = 0
            while true {
                let before = proxy.cutCount
                proxy.cut(after: byteCount, direction)
                try Self.insert(Self.labels("\(saveCount)"), machine)
                proxy.pass()
                saveCount += 1
                let rows = try database.run(
                    "SELECT count(*), count(DISTINCT \"ZLABEL\") FROM $\"ZTAG\""
                )
                try #require(rows.integer(0, 0) == Int64(saveCount * Self.count), "\(byteCount)")
                #expect(rows.integer(0, 1) == Int64(saveCount * Self.count))
                guard proxy.cutCount > before else { break }
                byteCount += step
            }
            #expect(saveCount > 3)
            try database.expectSameRows(machine)
        }
    }

    @Test func whatIsWrongBehindRowsThatWereSentUndoesThem() throws {
        let database = try SharedDatabase()
        let machine = try database.machine("one", model: Self.model())
        try Self.insert(["taken"], machine)
        let error = #expect(throws: CocoaError.self) {
            try Self.insert(Self.labels("first") + ["taken"], machine)
        }
        #expect(error?.code.rawValue == NSManagedObjectConstraintMergeError)
        #expect(try database.run("SELECT count(*) FROM $\"ZTAG\"").integer(0, 0) == 1)
        try Self.insert(Self.labels("second"), machine)
        try database.expectSameRows(machine)
        #expect(try machine.values("Tag", "label") == (Self.labels("second") + ["taken"]).sorted())
    }

    @Test func whatTheServerHasAgainstTheFirstRowsIsWrongWithTheWholeSave() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one", model: Self.model())
        let two = try database.machine("two", model: Self.model())
        // Of what the other one saves it has not heard.
        try two.store.opened().feed.stop()
        try Self.insert(["taken"], one)
        let error = #expect(throws: CocoaError.self) {
            try Self.insert(["taken"] + Self.labels("first"), two)
        }
        #expect(error?.code.rawValue == NSManagedObjectConstraintMergeError)
        for machine in [one, two] {
            try database.expectSameRows(machine)
            #expect(try machine.values("Tag", "label") == ["taken"])
        }
    }

    /// The rows refer to one that another machine has deleted, which the server finds out at once.
    @Test func rowsThatReferToADeletedOneAreNotWritten() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try one.insert("Department", ["name": "Kitchen"])
        try two.catchUp()
        try two.store.opened().feed.stop()
        try two.perform { context in
            let department = try context.first("Department", by: "name")
            for number in 0..<Self.count {
                let person = NSEntityDescription.insertNewObject(
                    forEntityName: "Person",
                    into: context
                )
                person.setValue("\(number)", forKey: "name")
                person.setValue(department, forKey: "department")
            }
            try one.perform { context in
                context.delete(try context.first("Department", by: "name"))
                try context.save()
            }
            do {
                try context.save()
                Issue.record("The people were saved with a department that is gone.")
            } catch {
                #expect((error as NSError).domain == NSCocoaErrorDomain)
            }
        }
        #expect(try database.run("SELECT count(*) FROM $\"ZPERSON\"").integer(0, 0) == 0)
        try database.expectSameRows(two)
    }
}
#endif
