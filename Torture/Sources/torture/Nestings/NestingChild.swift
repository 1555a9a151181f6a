import CoreData
import Foundation
import MergeStack

/// A program whose main queue is served in one of the ways that programs have, and that nests and
/// nests; a thread of its own watches that each round ends.
enum NestingChild {
    /// How the main queue is served.
    enum SetUp: String, CaseIterable {
        /// By the main thread's run loop, as in apps.
        case runLoop = "run-loop"
        /// By whatever thread Dispatch takes, as in servers.
        case dispatchMain = "dispatch-main"
        /// By a main thread that waits in its run loop for something, again and again, as in tests.
        case test
    }

    struct Task: Sendable {
        var setUp: SetUp
        var url: URL
        var roundCount: Int
        var seed: UInt64
        var isControl: Bool
    }

    /// How long a round may take, in seconds: some milliseconds are usual, and a machine may have
    /// others to serve.
    static let limit = 30.0
    /// A lock that is never let go of needs no patience.
    private static let controlLimit = 5.0

    /// Runs the rounds and exits; what is wrong is printed, a line each.
    static func run(_ task: Task) throws -> Never {
        let isSynchronous = task.seed % 2 == 0
        // A timeout that is short: main waits for savers in many rounds, who wait for main then.
        let options = MergeOptions(
            delivery: isSynchronous ? .synchronous(timeout: 0.005) : .asynchronous
        )
        let stack = try NotificationMergeStack(
            model: TortureModel.first,
            stores: [NSPersistentStoreDescription(url: task.url)],
            options: options
        )
        let rounds = NestingRounds(stack, task)
        Watchdog.start(task.isControl ? controlLimit : limit) { rounds.current.value }
        switch task.setUp {
        case .runLoop:
            DispatchQueue.main.async { rounds.goOn() }
            while true { RunLoop.main.run(until: .distantFuture) }
        case .dispatchMain:
            DispatchQueue.main.async { rounds.goOn() }
            dispatchMain()
        case .test:
            while true {
                rounds.goOn()
                while rounds.isRunning.value {
                    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.001))
                }
            }
        }
    }
}

/// The rounds of a child, one after the other.
///
/// @unchecked: on the main queue, apart from what is guarded.
private final class NestingRounds: @unchecked Sendable {
    /// The round that runs, and since when.
    let current = Guarded<(name: String, start: Date)?>(nil)
    let isRunning = Guarded(false)
    private let stack: NotificationMergeStack
    private let task: NestingChild.Task
    private var numbers: SeededNumbers
    private var items: [NSManagedObject] = []
    private var number = 0

    init(_ stack: NotificationMergeStack, _ task: NestingChild.Task) {
        self.stack = stack
        self.task = task
        numbers = SeededNumbers(task.seed, 6)
    }

    /// Runs the next round; on the main queue.
    func goOn() {
        do { if items.isEmpty { try fill() } } catch {
            print("the program says: \(Sentence.of(error))")
            exit(1)
        }
        guard number < task.roundCount else { exit(0) }
        number += 1
        let nesting = Nesting.all[numbers.number(below: Nesting.all.count)]
        let round = NestingRound(stack, number)
        current.withLock { $0 = ("round \(number), \(nesting.name)", Date()) }
        isRunning.withLock { $0 = true }
        if task.isControl, number == 20 { PlantedDeadlock.run(round) }
        nesting.run(round)
        round.whenEnded {
            for text in round.judge(self.items) { print("\(nesting.name): \(text)") }
            fflush(nil)
            self.isRunning.withLock { $0 = false }
            // A test goes on when it has seen that the round has ended.
            if self.task.setUp != .test { DispatchQueue.main.async { self.goOn() } }
        }
    }

    private func fill() throws {
        let main = stack.mainContext
        items = (0..<NestingRound.itemCount).map { main.make("Item", NestingRound.itemName($0)) }
        try main.save()
    }
}

/// Ends a program in which nothing goes on.
enum Watchdog {
    /// - Parameter current: What runs, and since when.
    static func start(
        _ limit: Double,
        _ current: @escaping @Sendable () -> (name: String, start: Date)?
    ) {
        Thread.detachNewThread {
            while true {
                usleep(100_000)
                guard let (name, start) = current() else { continue }
                guard Date().timeIntervalSince(start) > limit else { continue }
                print("\(name): it hangs, nothing has ended for \(Int(limit)) s")
                fflush(nil)
                _exit(3)
            }
        }
    }
}
