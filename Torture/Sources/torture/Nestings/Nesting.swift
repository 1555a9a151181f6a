import CoreData
import Foundation
import MergeStack

/// A way in which the main queue and contexts of others are inside each other, or wait for each
/// other.
struct Nesting: Sendable {
    let name: String
    /// Called on the main queue.
    let run: @Sendable (NestingRound) -> Void

    static let all: [Nesting] = mainWaits + workersAsk + observers + barriers

    /// Main waits, in each of the ways that it can.
    private static let mainWaits = [
        Nesting(name: "main in a context") { round in round.saveInNewContext(0) },
        Nesting(name: "main in a context in main") { round in
            let context = round.makeContext()
            context.performAndWait {
                round.save(context, 0)
                round.main.performAndWait { round.saveMain(1) }
                round.save(context, 0)
            }
        },
        Nesting(name: "main in a context in a context in main") { round in
            let outer = round.makeContext()
            outer.performAndWait {
                let inner = round.makeContext()
                inner.performAndWait {
                    round.save(inner, 0)
                    round.main.performAndWait { round.saveInNewContext(1) }
                }
                round.save(outer, 2)
            }
        },
        Nesting(name: "main waits for a thread that saves") { round in
            let isSaved = DispatchSemaphore(value: 0)
            round.onThread {
                round.saveInNewContext(0)
                isSaved.signal()
            }
            isSaved.wait()
        },
        Nesting(name: "main waits for four threads that save") { round in
            let group = DispatchGroup()
            for item in 0..<4 {
                group.enter()
                round.onThread {
                    round.saveInNewContext(item)
                    group.leave()
                }
            }
            group.wait()
        },
        Nesting(name: "main waits for a context in the middle of its save") { round in
            let context = round.makeContext()
            let isInside = DispatchSemaphore(value: 0)
            round.begin()
            context.perform {
                isInside.signal()
                round.save(context, 0)
                round.end()
            }
            isInside.wait()
            context.performAndWait {}
        },
        Nesting(name: "main waits for an operation queue") { round in
            let queue = OperationQueue()
            for item in 0..<2 { queue.addOperation { round.saveInNewContext(item) } }
            queue.waitUntilAllOperationsAreFinished()
        },
        Nesting(name: "main waits for the stack's background work") { round in
            round.attempt {
                try round.stack.performBackgroundAndWait(saves: false) { context in
                    round.save(context, 0)
                }
            }
        },
    ]

    /// A worker asks main for something, and may be asked by main meanwhile.
    private static let workersAsk = [
        Nesting(name: "a worker's context in main") { round in
            round.onThread {
                let context = round.makeContext()
                context.performAndWait {
                    round.save(context, 0)
                    round.main.performAndWait { round.saveMain(1) }
                    round.save(context, 0)
                }
            }
        },
        Nesting(name: "a worker's context in main in another context") { round in
            round.onThread {
                let context = round.makeContext()
                context.performAndWait {
                    round.main.performAndWait {
                        round.saveInNewContext(0)
                        round.saveMain(1)
                    }
                    round.save(context, 2)
                }
            }
        },
        Nesting(name: "two workers, each in two contexts, while main saves") { round in
            for worker in 0..<2 {
                round.onThread {
                    let outer = round.makeContext()
                    outer.performAndWait {
                        round.saveInNewContext(worker * 2)
                        round.save(outer, worker * 2 + 1)
                    }
                }
            }
            round.saveMain(4)
        },
        Nesting(name: "a worker in the main queue in a context") { round in
            round.onThread { DispatchQueue.main.sync { round.saveInNewContext(0) } }
        },
        Nesting(name: "blocks that are performed one after the other") { round in
            let first = round.makeContext(), second = round.makeContext()
            round.begin()
            first.perform {
                round.save(first, 0)
                round.main.perform {
                    round.saveMain(1)
                    second.perform {
                        round.save(second, 2)
                        round.end()
                    }
                }
            }
        },
        Nesting(name: "a child of main, saved by a worker") { round in
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = round.main
            round.onThread {
                child.performAndWait {
                    round.attempt {
                        try round.change(child, 0)
                        try child.save()
                    }
                }
                round.saveInNewContext(1)
                round.main.performAndWait { round.attempt { try round.main.save() } }
            }
        },
    ]

    /// Somebody saves in what he is told of a save.
    private static let observers = [
        Nesting(name: "main's save in which another context saves") { round in
            let token = Observation(.NSManagedObjectContextWillSave, of: round.main) {
                round.saveInNewContext(0)
            }
            round.saveMain(1)
            token.end()
        },
        Nesting(name: "main's save after which another context saves") { round in
            let token = Observation(.NSManagedObjectContextDidSave, of: round.main) {
                round.saveInNewContext(0)
            }
            round.saveMain(1)
            token.end()
        },
        Nesting(name: "a merge in which main and another context save") { round in
            round.begin()
            let token = Observation(DidSaveMerger.didMergeNotification, of: round.stack.merger) {
                round.saveInNewContext(1)
                round.saveMain(2)
                round.end()
            }
            token.endsAfterFirst()
            round.onThread { round.saveInNewContext(0) }
        },
        Nesting(name: "an old handler beside the merger, with its hop to main") { round in
            let context = round.makeContext()
            let token = Observation(.NSManagedObjectContextDidSave, of: context) {
                DispatchQueue.main.sync { round.saveMain(1) }
            }
            round.onThread {
                context.performAndWait { round.save(context, 0) }
                token.end()
            }
        },
    ]

    /// Somebody waits for merges.
    private static let barriers = [
        Nesting(name: "main waits until all is merged") { round in
            round.saveInNewContext(0)
            if !round.stack.merger.waitUntilSettled() { round.fail("main does not settle") }
        },
        Nesting(name: "a worker waits until its save is merged") { round in
            round.onThread {
                let context = round.makeContext()
                context.performAndWait { round.save(context, 0) }
                if !round.stack.merger.token.wait() { round.fail("a save is not merged in time") }
            }
        },
        Nesting(name: "four workers wait until all is merged, and main saves") { round in
            for worker in 0..<4 {
                round.onThread {
                    round.saveInNewContext(worker)
                    if !round.stack.merger.waitUntilSettled() {
                        round.fail("a save is not merged in time")
                    }
                }
            }
            round.saveMain(4)
        },
        Nesting(name: "main waits in a context until all is merged") { round in
            let context = round.makeContext()
            context.performAndWait {
                round.save(context, 0)
                round.main.performAndWait {
                    if !round.stack.merger.waitUntilSettled() { round.fail("main does not settle") }
                }
            }
        },
        Nesting(name: "merging is paused while a worker and main save") { round in
            round.stack.merger.pause()
            round.saveMain(1)
            round.onThread {
                round.saveInNewContext(0)
                round.stack.merger.resume()
            }
        },
    ]
}

/// The planted defect: main and a worker take two locks, each the other one first.
enum PlantedDeadlock {
    static func run(_ round: NestingRound) {
        let locks = [NSLock(), NSLock()]
        let isHeld = DispatchSemaphore(value: 0), mayGoOn = DispatchSemaphore(value: 0)
        round.onThread {
            locks[0].lock()
            isHeld.signal()
            mayGoOn.wait()
            locks[1].lock()
            locks[1].unlock()
            locks[0].unlock()
        }
        isHeld.wait()
        locks[1].lock()
        mayGoOn.signal()
        locks[0].lock()
        locks[0].unlock()
        locks[1].unlock()
    }
}

/// An observer of what one object posts.
///
/// @unchecked: guarded by the lock.
private final class Observation: @unchecked Sendable {
    private let token = Guarded<(any NSObjectProtocol)?>(nil)
    private let isSingle = Guarded(false)
    private let hasRun = Guarded(false)

    init(
        _ name: Notification.Name,
        of object: AnyObject,
        _ body: @escaping @Sendable () -> Void
    ) {
        let identifier = ObjectIdentifier(object)
        let made = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
            [weak self] notification in
            guard let self,
                (notification.object as AnyObject?).map(ObjectIdentifier.init) == identifier
            else { return }
            // Once: what it does may post the same.
            let isSecond = self.hasRun.withLock { hasRun in
                defer { hasRun = true }
                return hasRun
            }
            guard !isSecond else { return }
            body()
            if self.isSingle.value { self.end() }
        }
        token.withLock { $0 = made }
    }

    /// Ends by itself after what it has observed first, and lives until then.
    func endsAfterFirst() {
        isSingle.withLock { $0 = true }
        Self.kept.withLock { $0.append(self) }
    }

    func end() {
        token.withLock { token in
            token.map { NotificationCenter.default.removeObserver($0) }
            token = nil
        }
        Self.kept.withLock { kept in kept.removeAll { $0 === self } }
    }

    private static let kept = Guarded<[Observation]>([])
}
