import CoreData
import Foundation

extension Scenario {
    static let saves: [Scenario] = [
        save("insert") { context in
            let owner = try context.all("Owner").first
            for index in 0..<10 {
                let item = context.make("Item", "new\(index)")
                item.setValue(Int64(index), forKey: "value")
                item.setValue(owner, forKey: "owner")
            }
        },
        save("update") { context in
            for item in try context.all("Item") { item.setValue(Int64(1000), forKey: "value") }
        },
        save("delete") { context in
            for item in try context.all("Item").prefix(8) { context.delete(item) }
            for list in try context.all("List").prefix(1) { context.delete(list) }
        },
        save("many-to-many") { context in
            let tags = try context.all("Tag")
            for (index, item) in try context.all("Item").enumerated() {
                item.setValue(Set([tags[(index + 2) % tags.count]]), forKey: "tags")
            }
        },
        save("ordered") { context in
            for list in try context.all("List") {
                let entries = list.value(forKey: "entries") as? NSOrderedSet ?? []
                var names = Array(entries.array.reversed().dropFirst())
                names.append(context.make("Entry", "last of \(list.label)"))
                list.setValue(NSOrderedSet(array: names), forKey: "entries")
            }
        },
        save("external-data") { context in
            let items = try context.all("Item")
            items[0].setValue(Samples.large(7), forKey: "data")
            items[1].setValue(nil, forKey: "data")
            items[3].setValue(Samples.large(8), forKey: "data")
            context.make("Item", "new").setValue(Samples.large(9), forKey: "data")
        },
        save("history", options: Stack.history) { context in
            let items = try context.all("Item")
            context.make("Item", "new").setValue(items[0].value(forKey: "owner"), forKey: "owner")
            for item in items.prefix(6) { item.setValue(Int64(-1), forKey: "value") }
            context.delete(items[7])
        },
    ]

    private static func save(
        _ name: String,
        options: [AnyHashable: Any]? = nil,
        _ change: @escaping (NSManagedObjectContext) throws -> Void
    ) -> Scenario {
        Scenario(
            name: name,
            template: { try Samples.filled(store(in: $0), options) },
            begin: { try SaveAttempt(store(in: $0), options, change) }
        )
    }
}

/// A save beside another context, which looks on.
private final class SaveAttempt: Attempt {
    var url: URL { stack.url }
    private let stack: Stack
    private let context: NSManagedObjectContext
    private let onlooker: NSManagedObjectContext
    private let seen: [String]
    private let changed: Int
    private let posts = PostCounter()

    init(
        _ url: URL,
        _ options: [AnyHashable: Any]?,
        _ change: (NSManagedObjectContext) throws -> Void
    ) throws {
        stack = try Stack(url, options: options)
        context = stack.makeContext()
        onlooker = stack.makeContext()
        let context = context, onlooker = onlooker
        seen = try onlooker.inQueue { try onlooker.seen() }
        changed = try context.inQueue {
            try change(context)
            context.processPendingChanges()
            return Self.changeCount(context)
        }
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

/// Errors in reports: domain and code, without values.
enum Sentence {
    static func of(_ error: any Error) -> String {
        let error = error as NSError
        let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError
        return "\(error.domain) \(error.code)" + (inner.map { " (\($0.domain) \($0.code))" } ?? "")
    }
}
