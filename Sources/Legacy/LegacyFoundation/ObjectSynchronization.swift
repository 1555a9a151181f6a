import Foundation

/// What `objc_sync_enter` returns if all went well: `OBJC_SYNC_SUCCESS`.
public let OBJC_SYNC_SUCCESS = 0
/// What `objc_sync_exit` returns if the thread does not hold the object's lock.
public let OBJC_SYNC_NOT_OWNING_THREAD_ERROR = -1

/// Takes the lock of an object; the thread that has it may take it again.
///
/// > Threading: Any thread; waits for the one that has the lock.
///
/// - Parameter object: An object. Values are no objects, and have a new lock each time.
/// - Returns: `OBJC_SYNC_SUCCESS`.
@discardableResult
public func objc_sync_enter(_ object: Any) -> Int32 {
    ObjectLocks.shared.enter(object as AnyObject)
    return Int32(OBJC_SYNC_SUCCESS)
}

/// Gives the lock of an object back.
///
/// - Parameter object: An object that this thread has locked.
/// - Returns: `OBJC_SYNC_SUCCESS`, or `OBJC_SYNC_NOT_OWNING_THREAD_ERROR` if this thread does not
///   have it.
@discardableResult
public func objc_sync_exit(_ object: Any) -> Int32 {
    let isHeld = ObjectLocks.shared.exit(object as AnyObject)
    return Int32(isHeld ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
}

/// The locks of objects, kept as long as a thread has or wants them.
private final class ObjectLocks: @unchecked Sendable {
    // @unchecked: `entries` is touched under `table` only.
    static let shared = ObjectLocks()

    private struct Entry {
        let lock = NSRecursiveLock()
        /// How often the lock is held or waited for.
        var useCount = 0
        /// The thread that holds the lock, and how often; nil while nobody does.
        var owner: (thread: ObjectIdentifier, depth: Int)?
        /// Keeps the address from being used again.
        let object: AnyObject
    }

    private let table = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    func enter(_ object: AnyObject) {
        let lock = table.withLock {
            var entry = entries[ObjectIdentifier(object)] ?? Entry(object: object)
            // Counted before the wait, so that the thread that has the lock does not drop the entry
            // under this one.
            entry.useCount += 1
            entries[ObjectIdentifier(object)] = entry
            return entry.lock
        }
        // Outside of the table's lock, which the thread that has this one needs to give it back.
        lock.lock()
        let thread = ObjectIdentifier(Thread.current)
        table.withLock {
            let depth = entries[ObjectIdentifier(object)]?.owner?.depth ?? 0
            entries[ObjectIdentifier(object)]?.owner = (thread, depth + 1)
        }
    }

    func exit(_ object: AnyObject) -> Bool {
        table.withLock {
            guard var entry = entries[ObjectIdentifier(object)], let owner = entry.owner,
                owner.thread == ObjectIdentifier(Thread.current)
            else { return false }
            // Before the lock is given back: the next owner notes itself under `table`.
            entry.owner = owner.depth == 1 ? nil : (owner.thread, owner.depth - 1)
            entry.lock.unlock()
            entry.useCount -= 1
            entries[ObjectIdentifier(object)] = entry.useCount == 0 ? nil : entry
            return true
        }
    }
}
