import Dispatch
import Foundation
import Testing

@testable import CoreData

@Suite struct StoreConcurrencyTests {
    @Test(arguments: TestedStore.allCases)
    func savesOfSeveralThreadsAllArrive(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(
            kind,
            options: [NSSQLitePragmasOption: ["synchronous": "OFF"]]
        )
        let threads = 4, saves = 25
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            do {
                for save in 0..<saves {
                    let rows = try fixture.insert(
                        "Tag",
                        [["title": .text("\(thread)-\(save)")], [:]]
                    )
                    var changes = StoreChangeSet()
                    changes.updates = [try fixture.update(rows[0], ["title": .text("new")])]
                    changes.deletes = [.init(reference: rows[1].reference, version: 1)]
                    try fixture.store.write(changes)
                    let layout = try fixture.layout("Tag")
                    let stored = try fixture.store.row(layout, rows[0].primaryKey)
                    #expect(stored?.version == 2)
                    #expect(try fixture.store.row(layout, rows[1].primaryKey) == nil)
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try fixture.store.count(fixture.plan("Tag")) == threads * saves)
    }

    /// Each thread adds to one number; a conflict makes it read again, as a retrying client does.
    @Test(arguments: TestedStore.allCases)
    func noUpdateIsLost(_ kind: TestedStore) throws {
        let fixture = try StoreFixture(
            kind,
            options: [NSSQLitePragmasOption: ["synchronous": "OFF"]]
        )
        try fixture.insert("Person", [["count64": .integer(0)]])
        let slot = try fixture.slot("Person", "count64").index
        let layout = try fixture.layout("Person")
        let threads = 4, additions = 30
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            do {
                var done = 0
                while done < additions {
                    let row = try #require(try fixture.store.row(layout, 1))
                    var changes = StoreChangeSet()
                    let sum = row.integer(slot) + 1
                    changes.updates = [try fixture.update(row, ["count64": .integer(sum)])]
                    do {
                        try fixture.store.write(changes)
                        done += 1
                    } catch is RowConflicts {
                        continue
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        let row = try #require(try fixture.store.row(layout, 1))
        #expect(row.integer(slot) == Int64(threads * additions))
        #expect(row.version == Int32(1 + threads * additions))
    }
}
