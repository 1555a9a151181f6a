import Dispatch
import Foundation
import Threads

/// Which queues the code on this thread is inside of, outermost first.
///
/// libdispatch's queue-specific values show the innermost queue only; a block that main runs with
/// `sync` on another queue does not see that main waits for it. And the main queue is not the main
/// thread: under `dispatchMain()` its blocks run on a worker.
///
/// > Threading: Each thread has its own list.
enum ThreadPlaces {
    private final class List {
        var places: [ObjectIdentifier] = []
    }
    private static let lists: ThreadLocal<List> = {
        // Whoever waits for the main queue has to know, and can't ask Dispatch.
        MainQueue.setWaiting { list.places.contains(ObjectIdentifier(main)) }
        return ThreadLocal { List() }
    }()
    /// The main queue. `DispatchQueue.main` makes a new wrapper for each call on Linux, so that two
    /// of them are never identical.
    static let main = DispatchQueue.main
    private static var list: List { lists.value }

    /// Runs `body` with `queue` as the innermost place.
    static func inside<Result>(
        _ queue: DispatchQueue,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let list = list
        list.places.append(ObjectIdentifier(queue))
        defer { list.places.removeLast() }
        return try body()
    }

    /// Whether the code on this thread runs inside `queue`, at whatever depth.
    static func isInside(_ queue: DispatchQueue) -> Bool {
        // Blocks that others have put on the main queue have not come by way of `inside`.
        if queue === main, MainQueue.isServed { return true }
        return list.places.contains(ObjectIdentifier(queue))
    }

    /// Runs `body` on `queue` and waits; at once, if this thread is inside of it already.
    static func sync<Result>(
        on queue: DispatchQueue,
        _ body: () throws -> Result
    ) rethrows -> Result {
        if isInside(queue) { return try body() }
        // What main waits for must know that it may act for main; and so must a block that runs on
        // another thread while this one waits for it (main's blocks do).
        let list = list
        let isOnMain = MainQueue.isServed
        if isOnMain { list.places.append(ObjectIdentifier(main)) }
        defer { if isOnMain { list.places.removeLast() } }
        let waiting = list.places
        return try queue.sync {
            let current = Self.list
            guard current !== list else { return try inside(queue, body) }
            // Another thread runs the block, and acts for all that this one is inside of meanwhile.
            let count = current.places.count
            current.places += waiting
            defer { current.places.removeLast(current.places.count - count) }
            return try inside(queue, body)
        }
    }
}
