#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

extension SharedDatabase {
    /// A machine that goes through a proxy. Its feed rests, so that all bytes are the saves'.
    static func withProxy(_ body: (SharedDatabase, Machine, CuttingProxy) throws -> Void) throws {
        let proxy = try CuttingProxy()
        let database = try SharedDatabase()
        let machine = try Machine(
            proxy.url,
            SampleModel.make(),
            database.options("proxied"),
            database: database
        )
        try machine.store.opened().feed.stop()
        try body(database, machine, proxy)
        machine.close()
        try proxy.stop()
    }

    /// Expects that the replica of a machine has, when it has caught up, what the server has: each
    /// column of each row.
    func expectSameRows(_ machine: Machine, _ location: SourceLocation = #_sourceLocation) throws {
        try machine.catchUp()
        let open = try machine.store.opened()
        let schema = open.schema
        for table in schema.tables {
            try expectSameRows(table.name, schema.columns(table), open, location)
        }
        for join in schema.store.joinTables {
            try expectSameRows(join.name, schema.columns(join), open, location)
        }
    }

    private func expectSameRows(
        _ table: String,
        _ columns: [ServerSchema.Column],
        _ open: OpenPostgreSQLStore,
        _ location: SourceLocation
    ) throws {
        let names = columns.map { ServerSchema.quoted($0.name) }.joined(separator: ", ")
        let query = "SELECT \(names) FROM "
        let result = try run(query + "$\(ServerSchema.quoted(table))")
        let onServer = (0..<result.rowCount).map { row in
            columns.enumerated().map { Self.text(result.binding(row, $0, $1.type)) }
                .joined(separator: " ")
        }
        let here = try open.replica.opened().readers.withConnection { connection in
            let statement = try connection.statement(query + SQLName.quoted(table))
            defer { statement.clear() }
            var rows: [String] = []
            while try statement.step() {
                rows.append(
                    columns.indices.map { Self.text(statement.binding(Int32($0))) }
                        .joined(separator: " ")
                )
            }
            return rows
        }
        #expect(here.sorted() == onServer.sorted(), "\(table)", sourceLocation: location)
    }

    /// A value as it reads whatever type its column has: decimal numbers are texts on a server.
    private static func text(_ value: SQLBinding) -> String {
        switch value {
        case .null: "-"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text): text
        case .blob(let data): data.base64EncodedString()
        }
    }
}
#endif
