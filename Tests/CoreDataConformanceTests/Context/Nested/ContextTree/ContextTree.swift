import CoreData
import TestSupport

/// Contexts that stand on each other, and what each of them has to show.
///
/// Two stand on the coordinator and merge each other's saves; below the first are children and
/// children of theirs.
final class ContextTree {
    struct Level {
        let name: String
        let context: NSManagedObjectContext
        let parent: Int?
        var edits = ReferenceEdits()
        /// What the context showed last; holding them keeps the objects registered.
        var objects: [String: NSManagedObject] = [:]
        /// A results controller's list, for those that stand on the coordinator: they hear of all
        /// that changes.
        var people: PeopleList?
    }

    private let stack: TestStack
    /// Whether children merge what others save into their parent, too.
    let childrenMerge: Bool
    private(set) var levels: [Level] = []
    private(set) var stored = ReferenceWorld()

    init(_ kind: StoreKind, depth: Int, childrenMerge: Bool) throws {
        stack = try TestStack(kind)
        self.childrenMerge = childrenMerge
        add("main", below: nil)
        add("other", below: nil)
        add("child", below: 0)
        add("sibling", below: 0)
        var last = 2
        for number in 0..<depth {
            add("grandchild \(number)", below: last)
            last = levels.count - 1
        }
        for level in 0...1 { levels[level].people = try PeopleList(levels[level].context) }
    }

    private func add(_ name: String, below parent: Int?) {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if let parent {
            context.parent = levels[parent].context
        } else {
            context.persistentStoreCoordinator = stack.coordinator
        }
        context.name = name
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        context.automaticallyMergesChangesFromParent = parent == nil || childrenMerge
        levels.append(Level(name: name, context: context, parent: parent))
    }

    // MARK: What is expected

    /// What the level above shows.
    func base(_ level: Int) -> ReferenceWorld { levels[level].parent.map(world) ?? stored }

    func world(_ level: Int) -> ReferenceWorld {
        var world = base(level)
        world.apply(levels[level].edits)
        return world
    }

    func ancestors(_ level: Int) -> [Int] {
        levels[level].parent.map { [$0] + ancestors($0) } ?? []
    }

    func descendants(_ level: Int) -> [Int] {
        levels.indices.filter { ancestors($0).contains(level) }
    }

    private func siblings(_ level: Int) -> [Int] {
        levels.indices.filter { $0 != level && levels[$0].parent == levels[level].parent }
    }

    // MARK: Steps

    /// Makes changes in one context, in the real one and in the expectation.
    func edit(
        _ level: Int,
        _ body: (NSManagedObjectContext, [String: NSManagedObject]) throws -> Void,
        expected: (inout ReferenceEdits) -> Void
    ) throws {
        let context = levels[level].context, objects = levels[level].objects
        try context.onQueue {
            try body(context, objects)
            // Delete rules are applied at the end of an event, which this would not be.
            context.processPendingChanges()
        }
        expected(&levels[level].edits)
        refresh(descendants(level))
    }

    func save(_ level: Int) throws {
        let context = levels[level].context
        try context.onQueue {
            try context.save()
            guard !context.hasChanges else { throw Mismatch("has changes after its save") }
        }
        let edits = levels[level].edits.differing(from: base(level))
        levels[level].edits = ReferenceEdits()
        if let parent = levels[level].parent {
            levels[parent].edits.take(edits, over: base(parent))
        } else {
            stored.apply(edits)
        }
        // Merges are on the contexts' queues by now.
        for level in levels { level.context.onQueue {} }
        refresh(siblings(level).flatMap(descendants))
    }

    /// Lets go of all changes from here on down.
    func abandon(_ level: Int, byReset: Bool) throws {
        for lower in descendants(level).reversed() + [level] {
            levels[lower].objects = [:]
            let context = levels[lower].context
            try context.onQueue {
                if byReset { context.reset() } else { context.rollback() }
                guard !context.hasChanges else { throw Mismatch("has changes after it let go") }
            }
            levels[lower].edits = ReferenceEdits()
            if byReset { try levels[lower].people?.fetch() }
        }
        refresh(descendants(level))
    }

    func refreshAll(_ level: Int) { refresh([level]) }

    private func refresh(_ levels: [Int]) {
        let isStale = childrenMerge ? levels : Array(self.levels.indices)
        for level in isStale.sorted() {
            let context = self.levels[level].context
            context.performAndWait { context.refreshAllObjects() }
        }
    }

    // MARK: What is seen

    /// Compares all that each context shows with what it has to show.
    ///
    /// - Parameter keeping: Whether the objects stay referenced until the next comparison.
    func compare(keeping: Bool, random: inout SplitMix) throws {
        for level in levels.indices {
            let world = world(level), edits = levels[level].edits
            let context = levels[level].context
            try levels[level].people?.compare(levels[level].name, world)
            let query = ReferenceQuery(world, &random)
            levels[level].objects = try context.onQueue {
                let view = try ContextView(context)
                try Mismatch.check(levels[level].name, view.lines(), world.lines())
                try Mismatch.check(
                    levels[level].name + " inserted",
                    view.labels(context.insertedObjects),
                    edits.inserted.keys.sorted()
                )
                // What others deleted counts as deleted here too once it is merged.
                try Mismatch.check(
                    levels[level].name + " deleted",
                    view.labels(context.deletedObjects)
                        .filter { edits.deleted.contains($0) || world.kinds[$0] != nil },
                    edits.deleted.sorted()
                )
                if !edits.isEmpty, !context.hasChanges {
                    throw Mismatch("\(levels[level].name) shows no changes")
                }
                try Mismatch.check(
                    "\(levels[level].name) \(query.request)",
                    view.labels(try context.fetch(query.request), sorting: false),
                    query.labels
                )
                return view.objects
            }
            if !keeping { levels[level].objects = [:] }
        }
    }

    /// Finds the objects again if they were not kept.
    func load(_ level: Int) throws {
        guard levels[level].objects.isEmpty else { return }
        let context = levels[level].context
        levels[level].objects = try context.onQueue { try ContextView(context).objects }
    }

    /// Compares what a context of its own reads from the stores.
    func compareStored() throws {
        let fresh = stack.makeContext()
        try fresh.onQueue {
            try Mismatch.check("stored", try ContextView(fresh).lines(), stored.lines())
        }
    }
}

/// Where a context shows something else than it should.
struct Mismatch: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    static func check(_ what: String, _ seen: [String], _ expected: [String]) throws {
        guard seen != expected else { return }
        let more = seen.filter { !expected.contains($0) }
        let less = expected.filter { !seen.contains($0) }
        throw Mismatch(
            "\(what) shows\n  \(more.joined(separator: "\n  "))\nand not\n  "
                + (less.isEmpty ? "(the order differs)" : less.joined(separator: "\n  "))
        )
    }
}
