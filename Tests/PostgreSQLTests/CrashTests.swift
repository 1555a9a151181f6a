#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// Servers that are killed while stores save to them.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct CrashTests {
    private struct Record {
        var acknowledged: [String] = []
        /// Saves that threw, and wrote nothing.
        var refused: [String] = []
        /// Those that threw since it was not known whether they count.
        var unknown: [String] = []
    }

    private static func isUnknown(_ error: any Error) -> Bool {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return underlying?.domain == PostgreSQLErrorDomain
            && underlying?.code == PostgreSQLOutcomeUnknownError
    }

    @Test func aFrozenServerIsGivenUpAndWhatItHasDoneIsFoundOut() throws {
        let server = try PostgreSQLServer()
        let database = try SharedDatabase(on: server)
        // Long enough for a server that has to share its processor with other tests.
        let machine = try database.machine("one", options: [NSPersistentStoreTimeoutOption: 5])
        let other = try database.machine("two")
        try machine.insert("Tag", ["label": "before"])
        try server.freeze()
        let error = #expect(throws: (any Error).self) {
            try machine.insert("Tag", ["label": "frozen"])
        }
        // Reading goes on meanwhile.
        #expect(try machine.values("Tag", "label") == ["before"])
        try server.thaw()
        try machine.insert("Tag", ["label": "after"])
        let result = try database.run("SELECT \"ZLABEL\" FROM $\"ZTAG\"")
        let labels = (0..<result.rowCount).map { result.text($0, 0) }.sorted()
        let isThere = labels == ["after", "before", "frozen"]
        #expect(isThere || labels == ["after", "before"])
        #expect(!isThere || error.map(Self.isUnknown) == true)
        for machine in [machine, other] {
            try machine.catchUp()
            #expect(try machine.values("Tag", "label") == labels)
            machine.close()
        }
        try server.stop()
    }

    @Test func whatWasAcknowledgedOutlivesTheServersCrashesAndCountsOnce() throws {
        let server = try PostgreSQLServer()
        let database = try SharedDatabase(on: server)
        let machines = [try database.machine("one"), try database.machine("two")]
        let record = Guarded(Record())
        let isOver = Guarded(false)
        DispatchQueue.concurrentPerform(iterations: 5) { worker in
            guard worker > 0 else {
                for _ in 0..<3 {
                    let count = record.withLock { $0.acknowledged.count }
                    // Each crash is in the midst of saves that go on.
                    while record.withLock({ $0.acknowledged.count }) < count + 20 {
                        sched_yield()
                    }
                    do {
                        try server.crashAndRestart()
                    } catch {
                        Issue.record(error)
                    }
                }
                isOver.withLock { $0 = true }
                return
            }
            var number = 0
            while !isOver.withLock({ $0 }) {
                number += 1
                let label = "\(worker) \(number)"
                do {
                    try machines[worker % 2].insert("Tag", ["label": label])
                    record.withLock { $0.acknowledged.append(label) }
                } catch {
                    record.withLock { record in
                        if Self.isUnknown(error) {
                            record.unknown.append(label)
                        } else {
                            record.refused.append(label)
                        }
                    }
                }
            }
        }
        // Settles what is open.
        for machine in machines { try machine.insert("Tag", ["label": "last"]) }
        let result = try database.run("SELECT \"ZLABEL\" FROM $\"ZTAG\"")
        let labels = (0..<result.rowCount).map { result.text($0, 0) }
        let counts = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
        let found = record.withLock { $0 }
        for label in found.acknowledged { #expect(counts[label] == 1, "\(label)") }
        for label in found.refused { #expect(counts[label] == nil, "\(label)") }
        for label in found.unknown { #expect(counts[label] ?? 0 <= 1, "\(label)") }
        for machine in machines {
            try machine.catchUp()
            #expect(try machine.values("Tag", "label") == labels.sorted())
            machine.close()
        }
        try server.stop()
    }
}
#endif
