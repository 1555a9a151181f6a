import CoreData
import Foundation
import MergeStack
import StackSupport
import StoreInspection
import TestSupport
import Testing
import Threads

@testable import MergeExchange

/// An import into every stack: all of it is in the store and on main.
@Suite struct TopologyImportTests {
    @Test(arguments: Topology.allCases, BackgroundContextKind.allCases)
    func recordsAndTheirRelatedObjectsReachTheStore(
        _ topology: Topology,
        _ kind: BackgroundContextKind
    ) async throws {
        let folder = try ItemFolder()
        let stack = try topology.make(
            model: ImportStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        let url = folder.url.appendingPathComponent("people.csv")
        let rows = (0..<60).map { "\($0),n\($0),c\($0 % 7),\(($0 + 1) % 60)" }
        try Data((["code,fullName,home,friendCodes"] + rows).joined(separator: "\n").utf8)
            .write(to: url)
        var options = ImportOptions()
        options.batchSize = 10
        options.workers = [kind, kind]
        let outcome = try await completion { completion in
            Importer(stack: stack, options: options).importFile(at: url, entityName: "Person") {
                let main = stack.mainContext
                let counts = ["Person", "City"].map {
                    try? main.count(for: NSFetchRequest<NSManagedObject>(entityName: $0))
                }
                completion(($0, counts, MainQueue.isCurrent))
            }
        }
        let result = try outcome.0.get()
        #expect(result.createdCount == 60 && result.createdRelatedCount == 7)
        #expect(result.failedCount == 0)
        #expect(outcome.1 == [60, 7])
        #expect(outcome.2)
        if SQLiteShell.isThere {
            let sql = "SELECT COUNT(*) FROM ZPERSON JOIN ZCITY ON ZHOME = ZCITY.Z_PK"
            #expect(try SQLiteShell.rows(folder.storeURL, sql) == ["60"])
        }
        try await MainActor.run { try stack.tearDown() }
    }

    @Test(arguments: Topology.allCases)
    func aStrictImportOfBadRecordsLeavesNothing(_ topology: Topology) async throws {
        let folder = try ItemFolder()
        let stack = try topology.make(
            model: ImportStack.makeModel(),
            stores: [folder.description(.sqlite)]
        )
        let url = folder.url.appendingPathComponent("people.csv")
        try Data("code,fullName\n1,a\nx,b\n".utf8).write(to: url)
        var options = ImportOptions()
        options.isStrict = true
        await #expect(throws: MergeStackError.self) {
            try await Importer(stack: stack, options: options)
                .importFile(at: url, entityName: "Person")
        }
        #expect(try EntityCounts.counts(in: stack).map(\.count) == [0, 0])
        let main = stack.mainContext
        #expect(try await main.performing { !main.hasChanges })
        try await MainActor.run { try stack.tearDown() }
    }
}
