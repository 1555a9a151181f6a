import CoreData
import Dispatch
import TestSupport
import Testing

@Suite struct AsynchronousFetchTests {
    /// What a completion block was given; read after the semaphore.
    private final class Outcome: @unchecked Sendable {
        var names: [String?]?
        var error: (any Error)?
        var wasOnQueue = false
        let done = DispatchSemaphore(value: 0)
    }

    /// A progress that somebody else has to keep.
    private final class Remembered: @unchecked Sendable {
        weak var progress: Progress?

        init(_ progress: Progress) { self.progress = progress }
    }

    private func fetch(
        _ context: NSManagedObjectContext,
        _ outcome: Outcome,
        cancelled: Bool = false
    ) throws -> NSAsynchronousFetchResult<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
            outcome.names = result.finalResult?.map { $0.value(forKey: "name") as? String }
            outcome.error = result.operationError
            outcome.wasOnQueue = result.managedObjectContext.onQueue { true }
            outcome.done.signal()
        }
        return try context.onQueue {
            let result = try #require(
                try context.execute(asynchronous) as? NSAsynchronousFetchResult<NSManagedObject>
            )
            #expect(result.finalResult == nil && result.managedObjectContext === context)
            if cancelled { result.cancel() }
            return result
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theResultComesOnTheContextsQueue(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                for name in ["b", "a"] { context.make("Person", ["name": name]) }
                try context.save()
                context.make("Person", ["name": "c"])
            }
            let outcome = Outcome()
            let result = try fetch(context, outcome)
            try #require(outcome.done.wait(timeout: .now() + patience) == .success)
            #expect(outcome.names == ["a", "b", "c"] && outcome.error == nil && outcome.wasOnQueue)
            context.onQueue {
                #expect(result.finalResult?.count == 3)
                #expect(result.progress?.completedUnitCount == 3)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func cancellingGivesAnErrorAndNoObjects(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                for number in 0..<2_000 { context.make("Person", ["name": "\(number)"]) }
                try context.save()
            }
            let outcome = Outcome()
            _ = try fetch(context, outcome, cancelled: true)
            try #require(outcome.done.wait(timeout: .now() + patience) == .success)
            let hasNames = outcome.names != nil
            #expect(!hasNames)
            #expect((outcome.error as? CocoaError)?.code == .userCancelled)
        }
    }

    /// Whoever cancels may be calling it just when the fetch ends, so that the end leaves it there.
    @Test func theProgressKeepsItsCancellationHandler() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            let (outcome, handled) = (Outcome(), DispatchSemaphore(value: 0))
            let progress = try context.onQueue {
                let progress = try #require(try fetch(context, outcome).progress)
                progress.cancellationHandler = { handled.signal() }
                return progress
            }
            try #require(outcome.done.wait(timeout: .now() + patience) == .success)
            progress.cancel()
            #expect(handled.wait(timeout: .now() + patience) == .success)
        }
    }

    @Test func theProgressGoesWithItsResult() async throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext()
        let outcome = Outcome()
        let progress = Remembered(try #require(try fetch(context, outcome).progress))
        try #require(outcome.done.wait(timeout: .now() + patience) == .success)
        #expect(outcome.names == [])
        try await eventually("The progress is gone") { progress.progress == nil }
        withExtendedLifetime(stack) {}
    }

    /// The context's queue, which the result comes on, is kept for the time.
    @Test func progressCountsRowsWhileTheyAreRead() async throws {
        let stack = try TestStack(.sqlite)
        let context = stack.makeContext()
        let (outcome, kept) = (Outcome(), DispatchSemaphore(value: 0))
        func start() throws -> Progress? {
            try context.onQueue {
                for number in 0..<2_000 { context.make("Person", ["name": "\(number)"]) }
                try context.save()
            }
            let result = try fetch(context, outcome)
            context.perform { kept.wait() }
            return result.progress
        }
        let progress = try #require(try start())
        try await eventually("All steps are counted") { progress.completedUnitCount == 1_792 }
        kept.signal()
        try #require(outcome.done.wait(timeout: .now() + patience) == .success)
        #expect(outcome.names?.count == 2_000)
        withExtendedLifetime(stack) {}
    }

    @Test func aFetchRequestCanBeExecutedLikeAnyOther() throws {
        try withContext(.sqlite) { context in
            context.make("Tag", ["label": "x"])
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            let result = try context.execute(request) as? NSAsynchronousFetchResult<NSManagedObject>
            #expect(result?.finalResult?.count == 1)
        }
    }
}
