import CoreData
import SeededRandom
import TestSupport

/// Conflicts under each policy, on each kind of property, watched by results controllers, by an
/// observer of objects-did-change, and by loaded inverses.
final class ConflictsObserved: RandomFamily {
    static let name = "conflicts-observed"
    static let stepCount = 14

    private(set) var log: [String] = []
    private let store: RandomStore
    private let mine: NSManagedObjectContext
    private let theirs: NSManagedObjectContext
    private let names = RandomNames()
    private var lists: [FollowedList] = []
    private var watcher: Watcher?
    private var held: [NSManagedObject] = []
    private let posts: PostedSaves

    init(_ random: inout SplitMix) throws {
        store = try RandomStore(isFile: random.chance(2))
        mine = store.makeContext("mine")
        theirs = store.makeContext("theirs")
        let policies: [(String, NSMergePolicy)] = [
            ("error", .error), ("store", .mergeByPropertyStoreTrump),
            ("object", .mergeByPropertyObjectTrump), ("overwrite", .overwrite),
            ("rollback", .rollback),
        ]
        let policy = random.pick(policies)
        mine.mergePolicy = policy.1
        theirs.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        posts = PostedSaves(of: theirs)
        log.append("policy \(policy.0) over \(store.isFile ? "SQLite" : "memory")")
        let edit = RandomEdit(context: mine, names: names)
        try mine.onQueue {
            for entity in ["Author", "Author", "Book", "Book", "Book", "Tag", "Shelf", "Desk"] {
                edit.insert(entity, &random)
            }
            for _ in 0..<5 { _ = try edit.setOne(&random) }
            _ = try edit.changeShelf(&random)
            _ = try edit.changeTags(&random)
            try mine.save()
            held = try mine.everything()
            // Loads all relationships.
            log += held.map { "begins with \(Picture.line($0))" }
            lists = [
                try FollowedList(mine, "Book", format: "rank < 50"),
                try FollowedList(
                    mine,
                    "Author",
                    sortedBy: ["group", "rank", "name"],
                    sections: "group"
                ),
                try FollowedList(mine, "Book", limit: 2),
                try FollowedList(mine, "Book"),
            ]
            watcher = Watcher(mine, held)
        }
    }

    func step(_ random: inout SplitMix) throws {
        switch random.below(12) {
        case 0, 1, 2, 3: try saveTheirs(&random)
        case 4, 5, 6, 7:
            let edit = RandomEdit(context: mine, names: names)
            log.append(
                "mine "
                    + (try mine.onQueue {
                        let line = try edit.any(&random)
                        if random.chance(2) { mine.processPendingChanges() }
                        return line
                    })
            )
        case 8, 9: try saveMine()
        case 10: mergePosted(1)
        default:
            log.append("mine rolls back")
            mine.onQueue { mine.rollback() }
        }
    }

    private func saveTheirs(_ random: inout SplitMix) throws {
        let edit = RandomEdit(context: theirs, names: names)
        let line = try theirs.onQueue {
            // A context that works in the background begins anew.
            theirs.reset()
            return try edit.any(&random)
        }
        log.append("theirs \(line)")
        try theirs.onQueue {
            do { try theirs.save() } catch  where error.isRefusal {
                log.append("which is refused")
                theirs.rollback()
            }
        }
    }

    private func saveMine() throws {
        log.append("mine saves")
        try mine.onQueue {
            do { try mine.save() } catch  where error.isRefusal || error.isConflict {
                log.append("which fails with \((error as NSError).code), and rolls back")
                mine.rollback()
            }
        }
    }

    private func mergePosted(_ count: Int) {
        for notification in posts.take(count) {
            log.append("mine merges")
            mine.onQueue { mine.mergeChanges(fromContextDidSave: notification) }
        }
    }

    func finish() throws {
        mergePosted(.max)
        try saveMine()
        mergePosted(.max)
        let stored = try store.stored()
        try mine.onQueue {
            mine.processPendingChanges()
            mine.checkConsistency()
            for (number, list) in lists.enumerated() { try list.compare("list \(number)") }
            try watcher?.compare()
            try Difference.check("mine", try Picture.lines(mine), stored)
        }
    }
}

/// The did-save notifications of a context, until they are merged.
final class PostedSaves: @unchecked Sendable {
    // @unchecked: posted on the context's queue, which the main thread waits for.
    private var posted: [Notification] = []
    private var token: (any NSObjectProtocol)?

    init(of context: NSManagedObjectContext) {
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: context,
            queue: nil
        ) { [weak self] in self?.posted.append($0) }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    /// Takes the oldest ones.
    func take(_ count: Int) -> [Notification] {
        let taken = Array(posted.prefix(count))
        posted.removeFirst(taken.count)
        return taken
    }
}

/// Keeps what the objects of a context show, and reads only those again of which it is told.
final class Watcher: @unchecked Sendable {
    // @unchecked: on the context's queue.
    private var lines: [NSManagedObject: String] = [:]
    private var token: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext, _ objects: [NSManagedObject]) {
        for object in objects { lines[object] = Picture.line(object) }
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange,
            object: context,
            queue: nil
        ) { [weak self] in self?.note($0.userInfo ?? [:]) }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    private func note(_ info: [AnyHashable: Any]) {
        func objects(_ key: String) -> Set<NSManagedObject> {
            info[key] as? Set<NSManagedObject> ?? []
        }
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey] {
            for object in objects(key) where !object.isDeleted {
                lines[object] = Picture.line(object)
            }
        }
        for object in objects(NSDeletedObjectsKey) { lines[object] = nil }
    }

    func compare() throws {
        let alive = lines.keys.filter { $0.managedObjectContext != nil && !$0.isDeleted }
        try Difference.check(
            "the observer",
            lines.values.sorted(),
            alive.map(Picture.line).sorted()
        )
    }
}
