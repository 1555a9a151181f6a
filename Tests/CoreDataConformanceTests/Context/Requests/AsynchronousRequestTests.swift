import CoreData
import Dispatch
import TestSupport
import Testing

/// What an asynchronous request and its result say of themselves.
@Suite struct AsynchronousRequestTests {
    private typealias Request = NSAsynchronousFetchRequest<NSManagedObject>
    private typealias Outcome = NSAsynchronousFetchResult<NSManagedObject>

    private func request(_ predicate: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = predicate.map { NSPredicate(format: $0) }
        return request
    }

    @Test func aRequestKeepsWhatItWasMadeWith() {
        let fetch = request()
        let asynchronous = Request(fetchRequest: fetch) { _ in }
        #expect(asynchronous.fetchRequest === fetch && asynchronous.completionBlock != nil)
        #expect(asynchronous.estimatedResultCount == 0)
        #expect(asynchronous.requestType == .fetchRequestType)
        #expect(Request(fetchRequest: fetch).completionBlock == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func progressStartsFromTheEstimateAndEndsAtTheResult(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let done = DispatchSemaphore(value: 0)
            let asynchronous = Request(fetchRequest: request()) { _ in done.signal() }
            asynchronous.estimatedResultCount = 50
            let result = try context.onQueue {
                for number in 0..<20 { context.make("Tag", ["label": "\(number)"]) }
                try context.save()
                let result = try #require(try context.execute(asynchronous) as? Outcome)
                #expect(result.progress?.totalUnitCount == 50)
                #expect(result.fetchRequest === asynchronous)
                return result
            }
            try #require(done.wait(timeout: .now() + patience) == .success)
            context.onQueue {
                #expect(result.progress?.completedUnitCount == 20)
                #expect(
                    result.progress?.isFinished == true && result.progress?.isCancelled == false
                )
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func cancellingItsProgressCancelsTheFetch(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let done = DispatchSemaphore(value: 0)
            let result = try context.onQueue {
                for number in 0..<100 { context.make("Tag", ["label": "\(number)"]) }
                try context.save()
                let asynchronous = Request(fetchRequest: request()) { _ in done.signal() }
                let result = try #require(try context.execute(asynchronous) as? Outcome)
                result.progress?.cancel()
                return result
            }
            try #require(done.wait(timeout: .now() + patience) == .success)
            context.onQueue {
                #expect((result.operationError as? CocoaError)?.code == .userCancelled)
                #expect(result.finalResult == nil && result.progress?.isCancelled == true)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFetchThatFailsSaysSo(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let done = DispatchSemaphore(value: 0)
            let result = try context.onQueue { () throws -> Outcome? in
                let asynchronous = Request(fetchRequest: request("nothing == 1")) { _ in
                    done.signal()
                }
                return try context.execute(asynchronous) as? Outcome
            }
            try #require(done.wait(timeout: .now() + patience) == .success)
            context.onQueue {
                #expect(result?.operationError != nil && result?.finalResult == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aCurrentProgressHasTheFetchAsItsChild(kind: StoreKind) throws {
        try withStack(kind) { stack throws in
            let context = stack.makeContext()
            let done = DispatchSemaphore(value: 0)
            let whole = Progress(totalUnitCount: 1)
            try context.onQueue {
                context.make("Tag", ["label": "x"])
                try context.save()
                whole.becomeCurrent(withPendingUnitCount: 1)
                _ = try context.execute(Request(fetchRequest: request()) { _ in done.signal() })
                whole.resignCurrent()
            }
            try #require(done.wait(timeout: .now() + patience) == .success)
            context.performAndWait { #expect(whole.completedUnitCount == 1) }
        }
    }
}
