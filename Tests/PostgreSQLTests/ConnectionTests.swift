#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct ConnectionTests {
    private static func connection() throws -> PostgreSQLConnection {
        try PostgreSQLConnection(ServerAddress(PostgreSQLServer.shared().url, options: nil))
    }

    @Test func valuesOfAllTypesComeBackAsTheyWere() throws {
        let connection = try Self.connection()
        let result = try connection.run(
            "SELECT $1::int8, $2::float8, $3::text, $4::bytea, $5::text",
            [
                .integer(-5), .real(0.1), .text("Grüße"), .bytes(Data([0, 255])), .text(nil),
            ]
        )
        #expect(result.integer(0, 0) == -5)
        #expect(result.real(0, 1) == 0.1)
        #expect(result.text(0, 2) == "Grüße")
        #expect(result.data(0, 3) == Data([0, 255]))
        #expect(result.optionalText(0, 4) == nil)
        #expect(result.isNull(0, 4))
    }

    @Test func columnsOfRowsArePassedAsArrays() throws {
        let connection = try Self.connection()
        var texts = PostgreSQLArray(.text), reals = PostgreSQLArray(.real)
        for value in [SQLBinding.text("a"), .null, .text("")] { try texts.append(value) }
        for value in [SQLBinding.real(1.5), .integer(2), .null] { try reals.append(value) }
        let result = try connection.run(
            "SELECT * FROM unnest($1::int8[], $2::text[], $3::float8[])",
            [.keys([7, -8, 9]), texts.parameter, reals.parameter]
        )
        let rows = (0..<result.rowCount).map { row in
            [
                result.binding(row, 0, .integer), result.binding(row, 1, .text),
                result.binding(row, 2, .real),
            ]
        }
        #expect(
            rows == [
                [.integer(7), .text("a"), .real(1.5)], [.integer(-8), .null, .real(2)],
                [.integer(9), .text(""), .null],
            ]
        )
    }

    @Test func aStatementThatTheServerHasForgottenIsGivenToItAgain() throws {
        let connection = try Self.connection()
        for _ in 0..<3 { #expect(try connection.run("SELECT 1 + 1").integer(0, 0) == 2) }
        let kept = try connection.run("SELECT count(*) FROM pg_prepared_statements")
        #expect(kept.integer(0, 0) == 1)
        // As a pooler does that gives each transaction another connection.
        try connection.run("DEALLOCATE ALL")
        for _ in 0..<3 { #expect(try connection.run("SELECT 1 + 1").integer(0, 0) == 2) }
        let left = try connection.run("SELECT count(*) FROM pg_prepared_statements")
        #expect(left.integer(0, 0) == 0)
    }

    @Test func arraysAreReadBack() throws {
        let connection = try Self.connection()
        let result = try connection.run(
            "SELECT ARRAY[1, -2, 3]::int8[], ARRAY['\\x01', NULL, '']::bytea[], '{}'::int8[]"
        )
        #expect(result.integers(0, 0) == [1, -2, 3])
        #expect(result.dataElements(0, 1) == [Data([1]), nil, Data()])
        #expect(result.integers(0, 2) == [])
    }

    @Test func whatFollowsARefusedStatementIsNotRunAndTheTransactionIsUndone() throws {
        let connection = try Self.connection()
        try connection.run("CREATE TEMPORARY TABLE numbers (n int8)")
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.run([
                PostgreSQLCommand("BEGIN"), PostgreSQLCommand("INSERT INTO numbers VALUES (1)"),
                PostgreSQLCommand("SELECT 1 / 0"),
                PostgreSQLCommand("INSERT INTO numbers VALUES (2)"), PostgreSQLCommand("COMMIT"),
            ])
        }
        #expect(error?.kind == .refused(state: "22012"))
        // The connection is good for more.
        #expect(try connection.run("SELECT count(*) FROM numbers").integer(0, 0) == 0)
    }

    @Test func moreThanBuffersHoldGoesBothWaysAtOnce() throws {
        let connection = try Self.connection()
        let data = Data(repeating: 7, count: 4 << 20)
        let commands = (0..<6).map { _ in
            PostgreSQLCommand("SELECT $1::bytea", [.bytes(data)])
        }
        let results = try connection.run(commands)
        #expect(results.map { $0.data(0, 0) } == commands.map { _ in data })
    }

    @Test func aSessionConnectsAnewAfterItsConnectionWasEnded() throws {
        let address = try ServerAddress(PostgreSQLServer.shared().url, options: nil)
        let session = ServerSession(address, label: "test")
        let other = try Self.connection()
        let process = try session.perform { try $0.run("SELECT pg_backend_pid()").integer(0, 0) }
        // Waits until the backend is gone, for ten seconds at most.
        try other.run("SELECT pg_terminate_backend($1::int8::int4, 10000)", [.integer(process)])
        #expect(try session.perform { try $0.run("SELECT 2").integer(0, 0) } == 2)
    }

    @Test func aServerThatDoesNotGoOnIsGivenUp() throws {
        let address = try ServerAddress(
            PostgreSQLServer.shared().url,
            options: [NSPersistentStoreTimeoutOption: 2]
        )
        let connection = try PostgreSQLConnection(address)
        let error = #expect(throws: PostgreSQLError.self) {
            try connection.run("SELECT pg_sleep(60)")
        }
        // Mostly by the server itself, which is a little less patient than this end.
        #expect(error?.state == "57014" || error?.kind == .noAnswer)
        #expect((error?.cocoaError(address.url).code.rawValue) == NSPersistentStoreTimeoutError)
    }

    @Test func whatIsWrongWithTheAddressIsSaidInWords() throws {
        func message(_ text: String) -> String? {
            #expect(throws: CocoaError.self) {
                _ = try ServerAddress(URL(string: text), options: nil)
            }?
            .localizedDescription
        }
        let secret = message("postgresql://me:secret@db/app")
        #expect(secret?.contains("pgpass") == true)
        #expect(secret?.contains("secret") == false)
        #expect(message("postgresql://db/app?password=secret")?.contains("pgpass") == true)
        #expect(message("postgresql://db/app?colour=red")?.contains("colour") == true)
        #expect(message("file:///tmp/store")?.contains("postgresql://") == true)
    }

    @Test func withoutAServerTheErrorSaysSo() throws {
        let url = try #require(URL(string: "postgresql:///postgres?host=%2Fnowhere"))
        let address = try ServerAddress(url, options: nil)
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLConnection(address) }
        #expect(error?.kind == .notConnected)
        let shown = error?.cocoaError(url)
        #expect(shown?.code.rawValue == NSPersistentStoreOpenError)
        #expect(shown?.localizedDescription.contains("does not accept a connection") == true)
    }
}
#endif
