import CoreData
import SeededRandom
import TestSupport

/// Trees of contexts of depth 1 to 3: predicates that name objects, automatic merging, transient
/// values, permanent IDs, saves by `perform`.
final class ContextTrees: RandomFamily {
    static let name = "context-trees"
    static let stepCount = 24

    struct Level {
        let context: NSManagedObjectContext
        let parent: Int?
        let merges: Bool
        /// Whether it may show what a context that it stands on has taken back: that is no save,
        /// which would be merged.
        var isBehind = false
        var held: [NSManagedObject] = []
    }

    var log: [String] = []
    private let store: RandomStore
    let names = RandomNames()
    private(set) var levels: [Level] = []

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
        log += try store.stored().map { "begins with \($0)" }
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
            rollBack(index)
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
        rollBack(index)
    }

    private func rollBack(_ index: Int) {
        let context = levels[index].context
        context.onQueue { context.rollback() }
        for other in levels.indices where ancestors(of: other).contains(index) {
            levels[other].isBehind = true
        }
    }

    /// The levels that a level stands on.
    func ancestors(of index: Int) -> [Int] {
        Array(sequence(first: index) { self.levels[$0].parent }.dropFirst())
    }

    private final class Outcome: @unchecked Sendable {
        // @unchecked: set on the context's queue, which the main thread waits for.
        var error: (any Error)?
    }

    /// Lets all queues do what waits for them: merges go from level to level.
    private func drain() {
        for _ in 0..<4 { for level in levels { level.context.onQueue {} } }
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
        // Deleted above: the save has found that.
        guard context.onQueue({ object.managedObjectContext != nil && !object.isDeleted }) else {
            return
        }
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
            // A fault whose row is gone is deleted once it is fired.
            for object in context.registeredObjects { _ = object.label }
            let labels = context.registeredObjects.filter { !$0.isDeleted }.map(\.label)
            guard Set(labels).count == labels.count else {
                throw Difference("level \(index) registers \(labels.sorted())")
            }
            withExtendedLifetime(all) {}
            context.processPendingChanges()
            context.checkConsistency(isSettled: levels[index].merges && !levels[index].isBehind)
        }
    }

    func finish() throws {
        // From the leaves to the store, a level after the other.
        for index in levels.indices.reversed() { try save(index, byPerform: index % 2 == 0) }
        drain()
        // What a merge has deleted counts as a change until the next save, which writes nothing
        // but what that has deleted in turn of what was taken back.
        for _ in 0..<2 {
            for index in levels.indices.reversed() { try save(index, byPerform: false) }
            drain()
        }
        let stored = try store.stored()
        for (index, level) in levels.enumerated() {
            try level.context.onQueue {
                guard !level.context.hasChanges else {
                    throw Difference("level \(index) has changes after its save")
                }
                if !level.merges || level.isBehind { level.context.refreshAllObjects() }
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
