import TestSupport
import Testing

@testable import CoreData

@Suite struct ImmediateBlockTests {
    /// Waiting for the queue would be waiting for itself.
    @Test func anAsynchronousBlockOnTheContextsOwnQueueRunsAtOnce() async {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        nonisolated(unsafe) var order: [Int] = []
        let task = context.onQueue {
            let task = Task.immediate { await context.perform { order.append(1) } }
            order.append(2)
            return task
        }
        await task.value
        #expect(order == [1, 2])
    }
}
