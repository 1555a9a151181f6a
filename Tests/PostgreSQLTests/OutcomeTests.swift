#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Connections that end in the midst of a save.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct OutcomeTests {
    /// A store that goes through a proxy. Its feed rests, so that all bytes are the saves'.
    private static func withProxy(
        _ body: (SharedDatabase, Machine, CuttingProxy) throws -> Void
    ) throws {
        let proxy = try CuttingProxy()
        let database = try SharedDatabase()
        let machine = try Machine(
            proxy.url,
            SampleModel.make(),
            database.options("proxied"),
            database: database
        )
        try machine.store.opened().feed.stop()
        try machine.insert("Tag", ["label": "first"])
        try body(database, machine, proxy)
        machine.close()
        try proxy.stop()
    }

    /// How many bytes a save sends is not known; beyond its end no connection is cut.
    @Test(arguments: CuttingProxy.Direction.allCases)
    func aSaveThatIsCutAtAnyByteCountsOnce(direction: CuttingProxy.Direction) throws {
        try Self.withProxy { database, machine, proxy in
            let step = direction == .toServer ? 37 : 7
            var byteCount = 1, count = 1
            while true {
                let before = proxy.cutCount
                proxy.cut(after: byteCount, direction)
                try machine.insert("Tag", ["label": "cut at \(byteCount)"])
                proxy.pass()
                count += 1
                let rows = try database.run(
                    "SELECT count(*), count(DISTINCT \"ZLABEL\") FROM $\"ZTAG\""
                )
                try #require(rows.integer(0, 0) == Int64(count), "cut at \(byteCount)")
                #expect(rows.integer(0, 1) == Int64(count))
                guard proxy.cutCount > before else { break }
                byteCount += step
            }
            #expect(byteCount > step)
            // And the replica has what the server has.
            try machine.catchUp()
            #expect(try machine.values("Tag", "label").count == count)
        }
    }

    @Test func anOutcomeThatCanNotBeKnownIsSaidAndFoundOutByTheNextSave() throws {
        try Self.withProxy { database, machine, proxy in
            let context = machine.context()
            try context.performAndWait {
                let tag = try context.first("Tag", by: "label")
                tag.setValue("second", forKey: "label")
                // The first answer is cut off, when the server has all of the save.
                proxy.cutForGood(after: 1, .toStore)
                let error = #expect(throws: NSError.self) { try context.save() }
                let underlying = error?.userInfo[NSUnderlyingErrorKey] as? NSError
                #expect(underlying?.domain == PostgreSQLErrorDomain)
                #expect(underlying?.code == PostgreSQLOutcomeUnknownError)
                #expect(context.updatedObjects == [tag])
                // The replica has not got what may not be there.
                #expect(try machine.values("Tag", "label") == ["first"])
                // Still away: nothing is written, and the outcome stays open.
                #expect(throws: (any Error).self) { try machine.insert("Tag", ["label": "x"]) }
                proxy.pass()
            }
            try machine.insert("Tag", ["label": "third"])
            let onServer = try database.run("SELECT \"ZLABEL\" FROM $\"ZTAG\" ORDER BY \"Z_PK\"")
            let labels = (0..<onServer.rowCount).map { onServer.text($0, 0) }
            #expect(try machine.values("Tag", "label") == labels.sorted())
            #expect(labels.count == 2 && labels.contains("third"))
        }
    }

    @Test func aSaveThatWasGivenUpNeverCounts() throws {
        let database = try SharedDatabase()
        let machine = try database.machine("one")
        let open = try machine.store.opened()
        let save = UUID()
        let outcome = CommitOutcome(save: save, schema: open.schema)
        #expect(try !outcome.settle(open.session))
        // As often as it is asked.
        #expect(try !outcome.settle(open.session))
        // What comes late is refused by its UUID.
        let error = #expect(throws: PostgreSQLError.self) {
            try database.run("INSERT INTO $z_transaction (save) VALUES ('\(save.uuidString)')")
        }
        #expect(error?.state == "23505")
    }
}
#endif
