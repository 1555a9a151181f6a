import CoreData
import Foundation

/// A save beside another context, which looks on.
final class SaveAttempt: Attempt {
    var url: URL { stack.url }
    private let stack: Stack
    private let context: NSManagedObjectContext
    private let onlooker: NSManagedObjectContext
    private let seen: [String]
    private let changed: Int
    private let posts = PostCounter()

    init(_ stack: Stack, _ change: (NSManagedObjectContext) throws -> Void) throws {
        self.stack = stack
        context = stack.makeContext()
        onlooker = stack.makeContext()
        let context = context, onlooker = onlooker
        changed = try context.inQueue {
            try change(context)
            context.processPendingChanges()
            return Self.changeCount(context)
        }
        seen = try onlooker.inQueue { try onlooker.seen() }
        posts.count(NSManagedObjectContext.didSaveObjectsNotification, of: context)
    }

    private static func changeCount(_ context: NSManagedObjectContext) -> Int {
        context.insertedObjects.count + context.updatedObjects.count + context.deletedObjects.count
    }

    func act() throws { try context.inQueue { try context.save() } }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong: [String] = []
        if let failure {
            wrong += untyped(failure)
            if posts.number != 0 {
                wrong.append("the save failed, and its notification was posted")
            }
            wrong += context.inQueue {
                var wrong: [String] = []
                let count = Self.changeCount(context)
                if count != changed { wrong.append("\(count) of \(changed) changes are left") }
                if context.insertedObjects.contains(where: { !$0.objectID.isTemporaryID }) {
                    wrong.append("a new object has a permanent ID after a save that failed")
                }
                return wrong
            }
            if let clean {
                wrong += compare(stack.url, with: [clean.before], "after a save that failed")
            }
            let now = try onlooker.inQueue {
                onlooker.refreshAllObjects()
                return try onlooker.seen()
            }
            if now != seen { wrong.append("another context sees a save that failed") }
            do { try act() } catch { wrong.append("a second try fails: \(Sentence.of(error))") }
        }
        if posts.number != 1 { wrong.append("\(posts.number) notifications of one save") }
        if context.inQueue({ context.hasChanges }) {
            wrong.append("the context is dirty after a save")
        }
        if let clean { wrong += compare(stack.url, with: [clean.after], "after a save") }
        // What the two contexts have in memory is what a third one reads.
        let fresh = stack.makeContext()
        let read = try fresh.inQueue { try fresh.seen() }
        if try context.inQueue({ try context.seen() }) != read {
            wrong.append("the saving context shows other values than a new one")
        }
        let looked = try onlooker.inQueue {
            onlooker.refreshAllObjects()
            return try onlooker.seen()
        }
        if looked != read { wrong.append("the other context shows other values than a new one") }
        return wrong
    }

    func end() throws {
        posts.stop()
        try stack.close()
    }
}

/// Counts the notifications of one context.
///
/// @unchecked: guarded by the lock.
private final class PostCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var posted = 0
    private var token: (any NSObjectProtocol)?

    var number: Int { lock.withLock { posted } }

    func count(_ name: Notification.Name, of context: NSManagedObjectContext) {
        let center = NotificationCenter.default
        token = center.addObserver(forName: name, object: context, queue: nil) { [weak self] _ in
            self?.lock.withLock { self?.posted += 1 }
        }
    }

    func stop() { token.map { NotificationCenter.default.removeObserver($0) } }
}
