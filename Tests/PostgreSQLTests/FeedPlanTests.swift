#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// How a server goes about the statements of the feed, which run after each save on each machine.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct FeedPlanTests {
    /// Whether the server makes a plan for each execution or one for all of them, and whether it knows
    /// how many rows there are.
    @Test(arguments: ["force_custom_plan", "force_generic_plan"], [false, true])
    func theFeedIsReadWithoutLookingAtAllSaves(planning: String, isAnalyzed: Bool) throws {
        let database = try SharedDatabase()
        let machine = try database.machine("one")
        let open = try machine.store.opened()
        // Saves of the past, as many as a small service makes in a day.
        for statement in [
            "INSERT INTO $z_transaction (seq, save, number) "
                + "SELECT n, gen_random_uuid(), n FROM generate_series(1, 20000) n",
            "INSERT INTO $z_change SELECT n, 0, 1, 0, ARRAY[n] FROM generate_series(1, 20000) n",
            "UPDATE $z_numbering SET last = 20000",
        ] + (isAnalyzed ? ["ANALYZE $z_transaction", "ANALYZE $z_change"] : []) {
            try database.run(statement)
        }
        let connection = try PostgreSQLConnection(ServerAddress(database.url, options: nil))
        try connection.run("SET plan_cache_mode = \(planning)")
        let reader = FeedReader(schema: open.schema, connection: connection, url: database.url)
        let commands = (reader.reading(after: 19_999) + reader.numbering(after: 19_999))
            .filter { command in
                command.sql != PostgreSQLCommand.byIndexes.sql
                    && ["SELECT", "UPDATE", "WITH"].contains { command.sql.hasPrefix($0) }
            }
        #expect(commands.count == 7)
        for (place, command) in commands.enumerated() {
            let plan = try Self.plan(command, name: "feed_\(place)", connection)
            #expect(!plan.contains("Seq Scan on z_transaction"), "\(command.sql)\n\(plan)")
            #expect(!plan.contains("Seq Scan on z_change"), "\(command.sql)\n\(plan)")
        }
    }

    /// A server keeps the plan of a statement that it made when the tables had few rows.
    @Test func tablesThatGrowAreNotReadWhole() async throws {
        let mark = "growth-\(UUID().uuidString)"
        let url = try #require(
            URL(
                string:
                    "\(try PostgreSQLServer.shared().url.absoluteString)&application_name=\(mark)"
            )
        )
        let database = try SharedDatabase(at: url)
        let one = try database.machine("one"), two = try database.machine("two")
        try one.insert("Department", ["name": "changed 0"])
        let saveCount = 150
        for number in 1...saveCount {
            try one.perform { context in
                func make(_ name: String) -> NSManagedObject {
                    let department = NSEntityDescription.insertNewObject(
                        forEntityName: "Department",
                        into: context
                    )
                    department.setValue(name, forKey: "name")
                    return department
                }
                // An update, a deletion, and a new row that refers to one which was there.
                let changed = try context.first("Department", by: "name")
                changed.setValue("changed \(number)", forKey: "name")
                let request = NSFetchRequest<NSManagedObject>(entityName: "Department")
                request.predicate = NSPredicate(format: "name == %@", "old \(number - 1)")
                for old in try context.fetch(request) { context.delete(old) }
                for name in ["kept", "old"] { _ = make("\(name) \(number)") }
                let person = NSEntityDescription.insertNewObject(
                    forEntityName: "Person",
                    into: context
                )
                person.setValue("\(number)", forKey: "name")
                person.setValue(changed, forKey: "department")
                try context.save()
            }
            try two.catchUp()
        }
        #expect(try two.values("Department", "name").count == saveCount + 2)
        #expect(try two.values("Department", "name").first == "changed \(saveCount)")
        one.close()
        two.close()
        // A connection tells what it has read when it ends.
        try await eventually("the end of the connections") {
            let others = "FROM pg_stat_activity WHERE application_name = '\(mark)' "
            let own = "AND pid <> pg_backend_pid()"
            let count = try? database.run("SELECT count(*) \(others)\(own)").integer(0, 0)
            return count == 0
        }
        let counts = try database.run(
            "SELECT sum(idx_tup_fetch)::int8, sum(seq_tup_read)::int8 FROM pg_stat_user_tables "
                + "WHERE schemaname = '\(database.schema)' "
                + "AND relname NOT IN ('z_numbering', 'z_metadata')"
        )
        #expect(counts.integer(0, 0) >= saveCount)
        #expect(counts.integer(0, 1) < saveCount)
    }

    private static func plan(
        _ command: PostgreSQLCommand,
        name: String,
        _ connection: PostgreSQLConnection
    ) throws -> String {
        let types = command.parameters.map {
            $0.type == PostgreSQLType.integer.oid ? "int8" : "text"
        }
        let list = types.isEmpty ? "" : "(\(types.joined(separator: ", ")))"
        try connection.run("PREPARE \(name)\(list) AS \(command.sql)")
        let values = types.map { $0 == "int8" ? "19999" : "'a'" }
        let arguments = types.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
        let lines = try connection.run("EXPLAIN (COSTS OFF) EXECUTE \(name)\(arguments)")
        return (0..<lines.rowCount).map { lines.text($0, 0) }.joined(separator: "\n")
    }
}
#endif
