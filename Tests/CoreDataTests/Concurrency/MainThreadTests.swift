import Foundation
import Threads
import XCTest

@testable import CoreData

/// These run on the main thread.
final class MainThreadTests: XCTestCase {
    /// Another thread sees whether main computes or sleeps.
    func testItIsRunnableWhileItComputesOnly() {
        XCTAssertTrue(Thread.isMainThread)
        let isSeenAsleep = DispatchSemaphore(value: 0)
        computeUntil { isSeen in
            while MainThread.runnableOn == nil {}
            isSeen.withLock { $0 = true }
            // Main sleeps in a wait for this from then on.
            while MainThread.runnableOn != nil {}
            isSeenAsleep.signal()
        }
        XCTAssertEqual(isSeenAsleep.wait(timeout: .now() + 30), .success)
    }

    /// Of two threads on one processor, the one that runs sees that the other one waits for it.
    func testItIsSeenToWaitForTheProcessorThatAnotherThreadHas() throws {
        let affinity = try ProcessorAffinity()
        let processors = try affinity.current()
        defer { affinity.set(processors) }
        let current = try XCTUnwrap(MainThread.runnableOn)
        affinity.set(ProcessorAffinity.Processors(only: current))
        // A thread begins where the one that starts it may run.
        computeUntil { isSeen in
            while !MainThread.isWaitingForThisProcessor {}
            isSeen.withLock { $0 = true }
        }
    }

    /// Keeps main busy until another thread has seen what it looks for.
    private func computeUntil(_ look: @escaping @Sendable (Guarded<Bool>) -> Void) {
        let isSeen = Guarded(false)
        Thread.detachNewThread { look(isSeen) }
        let end = Date(timeIntervalSinceNow: 30)
        while !isSeen.withLock({ $0 }), Date() < end {}
        XCTAssertTrue(isSeen.withLock { $0 })
    }

    /// The program's name is anything that a file's name may be.
    func testTheProcessorIsFoundBehindAnyName() {
        func processor(_ stat: String) -> Int? {
            Array(stat.utf8).withUnsafeBytes { MainThread.processor(ofRunnable: $0) }
        }
        // Fields 4 to 38; behind them stand the processor and others.
        let numbers = (4...38).map { String($0 - 5) }.joined(separator: " ")
        XCTAssertEqual(processor("4711 (mergectl) R \(numbers) 17 0 0 0\n"), 17)
        XCTAssertEqual(processor("1 (a) S 1 (b) c) R \(numbers) 0 0 0 0\n"), 0)
        XCTAssertNil(processor("4711 (mergectl) S \(numbers) 17 0 0 0\n"))
        XCTAssertNil(processor("4711 (mergectl) D \(numbers) 17 0 0 0\n"))
        XCTAssertNil(processor("1 (a) R \(numbers)) S \(numbers) 17 0 0 0\n"))
        for stat in ["", "4711", "4711 (mergectl)", "4711 (mergectl) R", "1 (a) R \(numbers)"] {
            XCTAssertNil(processor(stat))
        }
    }
}

/// The processors that the calling thread may have. The C library's functions for that are out of
/// Swift's sight.
private struct ProcessorAffinity {
    struct Processors {
        /// A bit for each processor, as the system has them.
        var words = [UInt](repeating: 0, count: 16)

        init() {}

        init(only processor: Int) { words[processor / 64] = 1 << (processor % 64) }
    }

    private typealias Get =
        @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt>) -> Int32
    private typealias Set = @convention(c) (pid_t, Int, UnsafePointer<UInt>) -> Int32
    private let get: Get
    private let set: Set

    init() throws {
        func address(_ name: String) throws -> UnsafeMutableRawPointer {
            try XCTUnwrap(dlsym(dlopen(nil, RTLD_NOW), name))
        }
        get = unsafeBitCast(try address("sched_getaffinity"), to: Get.self)
        set = unsafeBitCast(try address("sched_setaffinity"), to: Set.self)
    }

    func current() throws -> Processors {
        var processors = Processors()
        XCTAssertEqual(get(0, processors.words.count * 8, &processors.words), 0)
        return processors
    }

    func set(_ processors: Processors) {
        XCTAssertEqual(set(0, processors.words.count * 8, processors.words), 0)
    }
}
