import CoreData
import MergeStack

/// Any of MergeStack's layouts, measured.
final class MeasuredContextStack: MeasuredStack {
    private let stack: any ContextStack
    var mainContext: NSManagedObjectContext { stack.mainContext }

    /// Measures a stack.
    init(_ stack: any ContextStack) { self.stack = stack }

    func performInBackground(_ work: @Sendable (NSManagedObjectContext) throws -> Void) throws {
        try stack.performBackgroundAndWait(.privateQueue) { try work($0) }
    }

    func saveMain(completion: @escaping @Sendable ((any Error)?) -> Void) {
        stack.save(mainContext) { result in
            switch result {
            case .success: completion(nil)
            case .failure(let error): completion(error)
            }
        }
    }

    func waitUntilShown() throws {
        // A layout that never settles ends the benchmark with a sentence instead of stopping it for
        // good.
        guard stack.waitUntilSettled(timeout: 600) else {
            throw BenchmarkError("The main context did not settle within ten minutes.")
        }
    }

    var mergeCounts: MergeCounts? {
        stack.layout.merger.map { merger in
            let statistics = merger.statistics
            return MergeCounts(
                mergeCount: statistics.mergeCount,
                objectCount: statistics.mergedObjectCount,
                faultCount: statistics.firedFaultCount,
                mainQueueSeconds: statistics.mainQueueTime
            )
        }
    }

    func tearDown() throws { try stack.tearDown() }
}
