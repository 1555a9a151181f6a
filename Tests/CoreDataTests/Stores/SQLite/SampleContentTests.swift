import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// What is in stores that Apple's framework wrote, read and changed through the public API.
@Suite(.enabled(if: SampleStores.areThere, "needs shared/samples"))
struct SampleContentTests {
    private func withContext(
        _ copy: SampleStores.Copy,
        isReadOnly: Bool = false,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: copy.model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: copy.url,
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: isReadOnly)]
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.onQueue { try body(context) }
        try coordinator.remove(store)
    }

    @Test(arguments: SampleStores.all, [true, false])
    func everyValueOfEveryRowIsRead(_ sample: SampleStores.Sample, isReadOnly: Bool) throws {
        try SampleStores.withCopy(sample) { copy in
            let expected = try StoreScripts.run("dump_store", copy.url, model: copy.modelFile)
            try withContext(copy, isReadOnly: isReadOnly) { context in
                let lines = try StoreDump.lines(context)
                #expect(Set(lines).subtracting(expected).sorted() == [])
                #expect(Set(expected).subtracting(lines).sorted() == [])
            }
        }
    }

    @Test(arguments: SampleStores.all)
    func readingLeavesEveryByteAsItWas(_ sample: SampleStores.Sample) throws {
        try SampleStores.withCopy(sample) { copy in
            let before = try Data(contentsOf: copy.url)
            try withContext(copy, isReadOnly: true) { _ = try StoreDump.lines($0) }
            #expect(try Data(contentsOf: copy.url) == before)
        }
    }

    @Test(arguments: SampleStores.all)
    func whatIsWrittenKeepsToTheFormat(_ sample: SampleStores.Sample) throws {
        try SampleStores.withCopy(sample) { copy in
            let before = try StoreScripts.problems(copy.url, model: copy.modelFile)
            #expect(before == [])
            for round in 0..<3 {
                var lines: [String] = []
                try withContext(copy) { context in
                    try StoreExercise(context, round: round).run()
                    context.reset()
                    lines = try StoreDump.lines(context)
                }
                let problems = try StoreScripts.problems(copy.url, model: copy.modelFile)
                #expect(problems == [])
                let read = try StoreScripts.run("dump_store", copy.url, model: copy.modelFile)
                #expect(Set(lines).symmetricDifference(read).sorted() == [])
            }
        }
    }
}
