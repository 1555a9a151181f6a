import CoreData
import SeededRandom
import TestSupport

/// Trees of contexts of depth 1 to 3: predicates that name objects, automatic merging, transient
/// values, permanent IDs, saves by `perform`.
final class ContextTrees: RandomFamily {
    static let name = "context-trees"
    static let stepCount = 24

    private struct Level {
        let context: NSManagedObjectContext
        let parent: Int?
        let merges: Bool
        var held: [NSManagedObject] = []
    }

    private(set) var log: [String] = []
    private let store: RandomStore
    private let names = RandomNames()
    private var levels: [Level] = []

    init(_ random: inout SplitMix) throws {
        store = try RandomStore(isFile: random.chance(2))
        let depth = 1 + random.below(3)
        let merges = !random.chance(3)
        log.append("depth \(depth) over \(store.isFile ? "SQLite" : "memory"), merging \(merges)")
        add(nil, merges)
        if random.chance(2) { add(nil, merges) }
        for number in 0..<depth {
            let parent = number == 0 ? 0 : levels.count - 1
            add(parent, merges)
            if random.chance(3) { add(parent, merges) }
        }
        let root = levels[0].context
        let edit = RandomEdit(context: root, names: names)
        try root.onQueue {
            for entity in ["Author", "Author", "Book", "Book", "Tag", "Shelf"] {
                edit.insert(entity, &random)
            }
            for _ in 0..<3 { _ = try edit.setOne(&random) }
            try root.save()
        }
        drain()
    }

    private func add(_ parent: Int?, _ merges: Bool) {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if let parent {
            context.parent = levels[parent].context
        } else {
            context.persistentStoreCoordinator = store.coordinator
        }
        context.name = "level \(levels.count)"
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        context.automaticallyMergesChangesFromParent = merges
        levels.append(Level(context: context, parent: parent, merges: merges))
    }

    func step(_ random: inout SplitMix) throws {
        let index = random.below(levels.count)
        let context = levels[index].context
        switch random.below(18) {
        case 0, 1, 2, 3, 4, 5: try edit(index, &random)
        case 6, 7, 8: try save(index, byPerform: random.chance(2))
        case 9, 10, 11: try query(index, &random)
        case 12:
            log.append("level \(index) takes permanent IDs")
            try context.onQueue {
                try context.obtainPermanentIDs(for: Array(context.insertedObjects))
            }
        case 13: try setTransient(index, &random)
        case 14:
            log.append("level \(index) holds all")
            levels[index].held = try context.onQueue {
                let all = try context.everything()
                _ = all.map(Picture.line)
                return all
            }
        case 15:
            log.append("level \(index) rolls back")
            context.onQueue { context.rollback() }
        case 16:
            log.append("level \(index) refreshes all")
            context.onQueue { context.refreshAllObjects() }
        default: try checkOneObjectForARow(index)
        }
    }

    private func edit(_ index: Int, _ random: inout SplitMix) throws {
        let context = levels[index].context
        let edit = RandomEdit(context: context, names: names)
        let line = try context.onQueue {
            let line = try edit.any(&random)
            if random.chance(2) { context.processPendingChanges() }
            return line
        }
        log.append("level \(index) \(line)")
    }

    private func save(_ index: Int, byPerform: Bool) throws {
        let context = levels[index].context
        log.append("level \(index) saves\(byPerform ? " by perform" : "")")
        let outcome = Outcome()
        let save: @Sendable () -> Void = {
            do { try context.save() } catch { outcome.error = error }
        }
        if byPerform {
            context.perform(save)
            context.onQueue {}
        } else {
            context.onQueue(save)
        }
        drain()
        guard let error = outcome.error else { return }
        guard error.isRefusal || error.isConflict else { throw error }
        log.append("which fails with \((error as NSError).code), and rolls back")
        context.onQueue { context.rollback() }
    }

    private final class Outcome: @unchecked Sendable {
        // @unchecked: set on the context's queue, which the main thread waits for.
        var error: (any Error)?
    }

    /// Lets all queues do what waits for them: merges go from level to level.
    private func drain() {
        for _ in 0..<4 { for level in levels { level.context.onQueue {} } }
    }

    /// A fetch with a predicate that names objects gives what matches in memory.
    private func query(_ index: Int, _ random: inout SplitMix) throws {
        let context = levels[index].context
        let kind = random.below(6)
        try context.onQueue {
            context.processPendingChanges()
            let edit = RandomEdit(context: context, names: names)
            guard let author = try edit.pick("Author", &random) else { return }
            let authors = try context.all("Author").filter { _ in random.chance(2) } + [author]
            let books = try context.all("Book")
            let tag = try edit.pick("Tag", &random)
            let (entity, predicate, isWanted): (String, NSPredicate, (NSManagedObject) -> Bool) =
                switch kind {
                case 0:
                    (
                        "Book", NSPredicate(format: "author == %@", author),
                        { $0.one("author") === author }
                    )
                case 1:
                    (
                        "Author", NSPredicate(format: "self IN %@", authors),
                        { object in authors.contains { $0 === object } }
                    )
                case 2:
                    (
                        "Book", NSPredicate(format: "author IN %@", authors),
                        { book in authors.contains { $0 === book.one("author") } }
                    )
                case 3:
                    if let book = books.randomElement(using: &random) {
                        (
                            "Author", NSPredicate(format: "ANY books == %@", book),
                            { $0.many("books").contains { $0 === book } }
                        )
                    } else {
                        ("Tag", NSPredicate(format: "self == %@", author), { _ in false })
                    }
                case 4:
                    if let tag {
                        (
                            "Author", NSPredicate(format: "%@ IN tags", tag),
                            { $0.many("tags").contains { $0 === tag } }
                        )
                    } else {
                        ("Author", NSPredicate(format: "self == %@", author), { $0 === author })
                    }
                default:
                    (
                        "Book", NSPredicate(format: "NOT (author == %@)", author),
                        { $0.one("author") !== author }
                    )
                }
            log.append("level \(index) asks \(kind) of \(author.label)")
            // What has no author is neither equal nor unequal in SQL, and unequal in memory.
            let isNegated = kind == 5
            let expected = try context.all(entity).filter(isWanted)
                .filter { !isNegated || $0.one("author") != nil }
            let seen = try context.all(entity, predicate)
                .filter { !isNegated || $0.one("author") != nil }
            try Difference.check("level \(index)'s fetch", seen.map(\.label), expected.map(\.label))
            let count = try context.count(for: Self.request(entity, predicate))
            guard isNegated || count == expected.count else {
                throw Difference("level \(index) counts \(count) of \(expected.map(\.label))")
            }
        }
    }

    private static func request(
        _ entity: String,
        _ predicate: NSPredicate
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return request
    }

    /// A transient value that is set with another one is carried to the parent by a save.
    private func setTransient(_ index: Int, _ random: inout SplitMix) throws {
        guard let parent = levels[index].parent else { return }
        let context = levels[index].context, above = levels[parent].context
        let edit = RandomEdit(context: context, names: names)
        let object: NSManagedObject? = try context.onQueue {
            guard let object = try edit.pick("Author", &random) else { return nil }
            object.setValue("m\(log.count)", forKey: "mood")
            object.setValue(random.below(100), forKey: "rank")
            return object
        }
        guard let object else { return }
        let mood = "m\(log.count)"
        log.append("level \(index) sets the mood of an author")
        try save(index, byPerform: false)
        guard log.last?.hasPrefix("which fails") != true else { return }
        let id = context.onQueue { object.objectID }
        let seen = above.onQueue {
            above.object(with: id).value(forKey: "mood") as? String
        }
        guard seen == mood else {
            throw Difference("level \(parent) shows the mood \(seen ?? "nil") and not \(mood)")
        }
    }

    private func checkOneObjectForARow(_ index: Int) throws {
        let context = levels[index].context
        try context.onQueue {
            let all = try context.everything()
            let labels = context.registeredObjects.filter { !$0.isDeleted }.map(\.label)
            guard Set(labels).count == labels.count else {
                throw Difference("level \(index) registers \(labels.sorted())")
            }
            withExtendedLifetime(all) {}
            context.processPendingChanges()
            context.checkConsistency(isSettled: levels[index].merges)
        }
    }

    func finish() throws {
        // From the leaves to the store, a level after the other.
        for index in levels.indices.reversed() { try save(index, byPerform: index % 2 == 0) }
        drain()
        let stored = try store.stored()
        for (index, level) in levels.enumerated() {
            try level.context.onQueue {
                guard !level.context.hasChanges else {
                    throw Difference("level \(index) has changes after its save")
                }
                if !level.merges { level.context.refreshAllObjects() }
                try Difference.check(
                    "level \(index)",
                    try Picture.lines(level.context),
                    stored
                )
            }
            try checkOneObjectForARow(index)
        }
    }
}
