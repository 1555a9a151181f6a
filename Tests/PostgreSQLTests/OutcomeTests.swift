#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Connections that end in the midst of a save.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct OutcomeTests {
    /// How many bytes a save sends is not known; beyond its end no connection is cut.
    @Test(arguments: CuttingProxy.Direction.allCases)
    func aSaveThatIsCutAtAnyByteCountsOnce(direction: CuttingProxy.Direction) throws {
        try SharedDatabase.withProxy { database, machine, proxy in
            try machine.insert("Tag", ["label": "first"])
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
        try SharedDatabase.withProxy { database, machine, proxy in
            try machine.insert("Tag", ["label": "first"])
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

    /// A merger leaves out the transactions of its own authors, since it was told of these saves.
    @Test func aSaveThatCountsAlthoughItHasThrownIsInTheHistoryAsOthersAre() throws {
        try SharedDatabase.withProxy { database, machine, proxy in
            try machine.insert("Tag", ["label": "first"])
            func save(_ label: String) throws {
                let context = machine.context()
                context.transactionAuthor = "own"
                try context.performAndWait {
                    let tag = NSEntityDescription.insertNewObject(
                        forEntityName: "Tag",
                        into: context
                    )
                    tag.setValue(label, forKey: "label")
                    try context.save()
                }
            }
            try save("acknowledged")
            var count = 1
            // Until the server has got as far as the commit before it sees that its answer is lost.
            for attempt in 1...50 where count == 1 {
                proxy.cutForGood(after: 1, .toStore)
                #expect(throws: (any Error).self) { try save("thrown \(attempt)") }
                proxy.pass()
                // Finds out.
                try machine.insert("Tag", ["label": "next"])
                count = Int(
                    try database.run("SELECT count(*) FROM $z_transaction WHERE author = 'own'")
                        .integer(0, 0)
                )
            }
            try #require(count == 2)
            try machine.catchUp()
            let authors = try machine.perform { context in
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
                request.resultType = .transactionsOnly
                let result = try context.execute(request) as? NSPersistentHistoryResult
                let transactions = result?.result as? [NSPersistentHistoryTransaction]
                return transactions?.map(\.author) ?? []
            }
            #expect(authors.filter { $0 == "own" }.count == 1)
            // It is there all the same.
            let all = try database.run("SELECT count(*) FROM $z_transaction WHERE NOT is_void")
            #expect(authors.count == Int(all.integer(0, 0)))
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
