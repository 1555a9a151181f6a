#if PostgreSQL
import CTorture
import CoreData
import Foundation
import MergeStack

/// A program that shares a store with others: main follows what all of them save, and two workers save
/// as fast as they can. It tells of each save on standard output after it has returned.
///
/// Lines of standard input are obeyed: `go` has the workers begin, `end` lets them end and settles what
/// is open, `look` tells what main shows, and `close` closes the store.
enum SharingChild {
    static let writers = 2
    /// How many numbers all add to, and under how many labels they are.
    static let counterCount = 3

    static func counterName(_ number: Int) -> String { "counter-\(number)" }
    static func lastName(_ child: Int) -> String { "last-\(child)" }
    static func contextName(_ child: Int, _ writer: Int) -> String { "writer-\(child)-\(writer)" }

    /// What a child is told on its command line.
    struct Task {
        var number: Int
        var place: SharedPlace
        /// How many saves each worker makes; nil for as many as there is time.
        var saveCount: Int?
        var isControl: Bool

        init(_ text: String, _ options: Options) throws {
            number = Int(options.seed)
            place = try SharedPlace(text, options)
            saveCount = options.count
            isControl = options.isControl
        }
    }

    static func run(_ task: Task) throws -> Never {
        if task.isControl { PlantedDefect.version.plant() }
        let child = try Child(task)
        if task.isControl {
            // The other planted defect: main asks the server itself.
            try ServerConnection(task.place.url, schema: task.place.schema).takeInput()
        }
        child.start()
        while true { RunLoop.main.run(until: Date(timeIntervalSinceNow: 1)) }
    }

    /// The child's parts.
    ///
    /// @unchecked: `follower` is touched on the main queue only.
    private final class Child: @unchecked Sendable {
        private let task: Task
        private let stack: NotificationMergeStack
        private let tally = MergeTally()
        private let follower: MainFollower
        private let isEnding = Guarded(false)
        private let workers = DispatchGroup()

        init(_ task: Task) throws {
            self.task = task
            let tally = tally
            stack = try NotificationMergeStack(
                model: TortureModel.first,
                stores: [task.place.description],
                options: MergeOptions(remoteChanges: .merged) { tally.take($0) }
            )
            follower = try MainFollower(stack.mainContext)
        }

        func start() {
            tell("ready")
            Thread.detachNewThread { [self] in obey() }
        }

        private func work() {
            for number in 0..<writers {
                workers.enter()
                let worker = SharingWriter(task.number, number, stack, tell)
                Thread.detachNewThread { [self] in
                    var save = 0
                    while !isEnding.value, task.saveCount.map({ save < $0 }) ?? true {
                        save += 1
                        worker.save(save)
                    }
                    workers.leave()
                }
            }
        }

        private func obey() {
            while let line = readLine() {
                switch line {
                case "go": work()
                case "end":
                    if task.saveCount == nil { isEnding.withLock { $0 = true } }
                    workers.wait()
                    settle()
                    tell("ended")
                case "look": DispatchQueue.main.async { [self] in look() }
                case "close":
                    DispatchQueue.main.async { [self] in close() }
                default: tell("error there is no command \(line)")
                }
            }
            exit(0)
        }

        /// Saves once more, as long as the server takes to be there again: that finds out what became
        /// of the saves before.
        private func settle() {
            let limit = Date(timeIntervalSinceNow: 60)
            while true {
                do {
                    try stack.performBackgroundAndWait { context in
                        context.make("Item", lastName(task.number))
                    }
                    return
                } catch {
                    guard limit.timeIntervalSinceNow > 0 else {
                        return tell("error the last save fails: \(Sentence.of(error))")
                    }
                    usleep(50_000)
                }
            }
        }

        private func look() {
            let lines = follower.lines
            let digest = Digest.of(Data(lines.joined(separator: "\n").utf8))
            let merged = tally.mergedByContext.map { "\($0)=\($1)" }.sorted()
                .joined(separator: ",")
            tell("look \(digest) \(main_network_calls()) \(statements_changed()) \(merged)")
        }

        private func close() {
            do {
                follower.end()
                try stack.tearDown()
                tell("closed")
            } catch {
                tell("error closing fails: \(Sentence.of(error))")
            }
        }
    }

    /// One write to the pipe, where no crash of this process reaches it.
    @Sendable private static func tell(_ line: String) {
        var text = line + "\n"
        _ = text.withUTF8 { write(1, $0.baseAddress, $0.count) }
    }
}
#endif
