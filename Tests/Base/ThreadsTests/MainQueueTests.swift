import Dispatch
import Foundation
import Testing
import Threads

@Suite struct MainQueueTests {
    /// A function that is kept as a generic value is wrapped once more each time that it is read.
    @Test func itCanBeAskedForAsOftenAsOneLikes() async {
        let answers = await withCheckedContinuation { continuation in
            let thread = Thread {
                var count = 0
                for _ in 0..<50_000 where MainQueue.isCurrent { count += 1 }
                continuation.resume(returning: count)
            }
            // As on Apple's systems.
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(answers == 0)
    }
}
