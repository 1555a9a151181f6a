import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite struct NextKeyTests {
    private let fixture: StoreFixture
    private let connection: SQLiteConnection
    private let byKey =
        "SELECT t0.ZTITLE FROM MS_NEXT_KEY AS next CROSS JOIN ZTAG AS t0 WHERE t0.Z_PK = next.key"

    init() throws {
        fixture = try StoreFixture()
        try fixture.insert("Tag", (1...9).map { ["title": .text("\($0)")] })
        var settings = ConnectionSettings(path: fixture.url.path)
        settings.pragmas = [("trusted_schema", "OFF")]
        connection = try SQLiteConnection(settings)
        try connection.configure(settings)
    }

    /// The title of the row that a statement goes on to; nil if it ends.
    private func title(_ statement: SQLiteStatement, _ key: Int64) throws -> String? {
        connection.nextKey.ask(key)
        return try statement.step() ? statement.text(0) : nil
    }

    @Test func aStatementGoesOnFromKeyToKey() throws {
        let statement = try connection.statement(byKey)
        for key in [3, 4, 4, 9, 1] as [Int64] { #expect(try title(statement, key) == "\(key)") }
        #expect(try title(statement, 10) == nil)
        statement.reset()
        #expect(try title(statement, 2) == "2")
        // Nobody has asked.
        #expect(try statement.step() == false)
    }

    /// Each takes the key that was asked for before its step.
    @Test func statementsDoNotTakeEachOthersKeys() throws {
        let first = try connection.statement(byKey)
        let second = try connection.statement(byKey + " AND t0.Z_OPT = 1")
        // The store that is closed at the end would wait for whoever reads.
        defer { for statement in [first, second] { statement.reset() } }
        for key in Int64(1)...4 {
            #expect(try title(first, key) == "\(key)")
            #expect(try title(second, key + 5) == "\(key + 5)")
        }
    }

    @Test func noTableIsSearchedForAKey() throws {
        let plan = try connection.statement("EXPLAIN QUERY PLAN " + byKey)
        var steps: [String] = []
        while try plan.step() { steps.append(plan.text(3)) }
        #expect(steps.count == 2)
        #expect(steps.last?.contains("USING INTEGER PRIMARY KEY") == true)
    }

    @Test func withoutAKeyTheTableIsEmpty() throws {
        #expect(try connection.integer("SELECT count(*) FROM MS_NEXT_KEY") == 0)
        connection.nextKey.ask(7)
        #expect(try connection.integer("SELECT key FROM MS_NEXT_KEY") == 7)
        #expect(try connection.integer("SELECT count(*) FROM MS_NEXT_KEY") == 0)
    }

    /// A file may come from anywhere, and so may what its schema reads.
    @Test func aFilesSchemaCanNotTakeKeys() throws {
        try SQLiteShell.run(fixture.url, "CREATE VIEW taking AS SELECT key FROM MS_NEXT_KEY")
        connection.nextKey.ask(7)
        #expect(throws: SQLiteError.self) { try connection.integer("SELECT key FROM taking") }
        #expect(try connection.integer("SELECT key FROM MS_NEXT_KEY") == 7)
    }

    @Test func statementsMayOutliveTheConnection() throws {
        var settings = ConnectionSettings(path: fixture.url.path)
        settings.isReadOnly = true
        var other: SQLiteConnection? = try SQLiteConnection(settings)
        other?.nextKey.ask(5)
        let statement = try other?.statement(byKey)
        other = nil
        #expect(try statement?.step() == true)
        #expect(statement?.text(0) == "5")
        statement?.reset()
    }
}
