import CoreData
import SeededRandom
import TestSupport

/// Saved, unsaved and child objects are related to objects that are deleted: in the same context,
/// by a merge, by a batch request, or in the parent.
///
/// A save may refuse that. What it takes leaves no relationship that leads nowhere.
final class DanglingRelations: RandomFamily {
    static let name = "dangling-relations"
    static let stepCount = 16

    private(set) var log: [String] = []
    private let store: RandomStore
    private let main: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private let names = RandomNames()
    private let posts: PostedSaves
    private let background: NSManagedObjectContext
    /// Objects that somebody holds on to, whatever becomes of them.
    private var held: [NSManagedObject] = []
    private var heldBelow: [NSManagedObject] = []

    init(_ random: inout SplitMix) throws {
        store = try RandomStore(isFile: random.chance(2))
        main = store.makeContext("main")
        background = store.makeContext("background")
        main.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        background.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = main
        child.name = "child"
        child.automaticallyMergesChangesFromParent = random.chance(2)
        posts = PostedSaves(of: background)
        log.append("over \(store.isFile ? "SQLite" : "memory")")
        let edit = RandomEdit(context: main, names: names)
        try main.onQueue {
            for entity in ["Author", "Author", "Author", "Book", "Book", "Tag", "Shelf", "Desk"] {
                edit.insert(entity, &random)
            }
            for owner in try main.all("Author").prefix(random.below(3)) {
                edit.insert("Post", &random).setValue(owner, forKey: "owner")
            }
            for _ in 0..<4 { _ = try edit.setOne(&random) }
            _ = try edit.changeShelf(&random)
            try main.save()
            held = try main.everything()
        }
        log += try store.stored().map { "begins with \($0)" }
        heldBelow = try child.onQueue { try child.everything() }
    }

    func step(_ random: inout SplitMix) throws {
        switch random.below(16) {
        case 0, 1: try delete(main, held, &random)
        case 2: try delete(child, heldBelow, &random)
        case 3, 4: try deleteInBackground(&random)
        case 5: try deleteByBatch(&random)
        case 6, 7, 8: try relate(main, held, &random)
        case 9, 10: try relate(child, heldBelow, &random)
        case 11: try save(child)
        case 12, 13: try save(main)
        case 14: try insert(&random)
        default: merge()
        }
    }

    private func delete(
        _ context: NSManagedObjectContext,
        _ objects: [NSManagedObject],
        _ random: inout SplitMix
    ) throws {
        let alive = context.onQueue {
            objects.filter { $0.managedObjectContext === context && !$0.isDeleted }
        }
        guard let object = alive.randomElement(using: &random) else { return }
        let processes = random.chance(2)
        context.onQueue {
            log.append("\(context.name ?? "") deletes \(object.label), processing: \(processes)")
            context.delete(object)
            if processes { context.processPendingChanges() }
        }
    }

    private func deleteInBackground(_ random: inout SplitMix) throws {
        let edit = RandomEdit(context: background, names: names)
        let line = try background.onQueue {
            background.reset()
            return try edit.delete(&random)
        }
        log.append("background \(line)")
        try save(background)
    }

    private func deleteByBatch(_ random: inout SplitMix) throws {
        guard store.isFile else { return }
        // Whom nothing in the store refers to: a batch delete applies no rules to required ends.
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        fetch.predicate = NSPredicate(format: "rank < %d AND posts.@count == 0", random.below(60))
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .resultTypeObjectIDs
        let context = store.makeContext("batch")
        let ids = try context.onQueue {
            (try context.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
        }
        log.append("batch deletes \(ids?.count ?? 0) authors, which is merged")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: ids ?? []],
            into: [main, child]
        )
    }

    /// Relates two objects, whatever has become of the second.
    private func relate(
        _ context: NSManagedObjectContext,
        _ objects: [NSManagedObject],
        _ random: inout SplitMix
    ) throws {
        let (entity, key, other) = random.pick([
            ("Book", "author", "Author"), ("Desk", "author", "Author"), ("Author", "desk", "Desk"),
            ("Book", "shelf", "Shelf"), ("Author", "tags", "Tag"), ("Tag", "authors", "Author"),
            ("Post", "owner", "Author"), ("Author", "books", "Book"), ("Author", "posts", "Post"),
            ("Shelf", "books", "Book"),
        ])
        context.onQueue {
            let alive = objects.filter {
                $0.entity.name == entity && $0.managedObjectContext === context && !$0.isDeleted
            }
            guard let object = alive.randomElement(using: &random),
                let target = objects.filter({ $0.entity.name == other })
                    .randomElement(using: &random)
            else { return }
            let state =
                target.managedObjectContext == nil ? "gone" : target.isDeleted ? "deleted" : "there"
            log.append("\(context.name ?? "") gives \(object.label) \(target.label) (\(state))")
            guard let relationship = object.entity.relationshipsByName[key] else { return }
            if relationship.isOrdered {
                object.mutableOrderedSetValue(forKey: key).add(target)
            } else if relationship.isToMany {
                object.mutableSetValue(forKey: key).add(target)
            } else {
                object.setValue(target, forKey: key)
            }
        }
    }

    private func insert(_ random: inout SplitMix) throws {
        let isBelow = random.chance(2)
        let context = isBelow ? child : main
        let edit = RandomEdit(context: context, names: names)
        let entity = random.pick(["Book", "Desk", "Author"])
        let object = context.onQueue { edit.insert(entity, &random) }
        log.append("\(context.name ?? "") inserts a \(entity)")
        if isBelow { heldBelow.append(object) } else { held.append(object) }
    }

    private func save(_ context: NSManagedObjectContext) throws {
        try context.onQueue {
            do {
                try context.save()
                log.append("\(context.name ?? "") saves")
            } catch  where error.isRefusal || error.isConflict {
                log.append(
                    "\(context.name ?? "") saves, which fails with \((error as NSError).code), and "
                        + "rolls back"
                )
                context.rollback()
            }
        }
        guard context === main, log.last?.hasSuffix("rolls back") == true else { return }
        // That main has taken back what the child has saved into it is no save, and not merged.
        child.onQueue { child.refreshAllObjects() }
    }

    private func merge() {
        for notification in posts.take(.max) {
            log.append("main merges")
            main.onQueue { main.mergeChanges(fromContextDidSave: notification) }
        }
    }

    func finish() throws {
        try save(child)
        merge()
        try save(main)
        merge()
        let stored = try store.stored()
        try checkStored()
        try main.onQueue {
            main.checkConsistency()
            try Difference.check("main", try Picture.lines(main), stored)
        }
        try child.onQueue {
            // What a merge has deleted along with something that is gone, main may have refused.
            child.rollback()
            child.refreshAllObjects()
            try Difference.check("the child", try Picture.lines(child), stored)
        }
    }

    /// Looks for references in the store that lead nowhere.
    private func checkStored() throws {
        let fresh = store.makeContext("fresh")
        try fresh.onQueue {
            for object in try fresh.everything() {
                for (key, relationship) in object.entity.relationshipsByName {
                    if !relationship.isToMany {
                        guard let id = object.one(key)?.objectID else {
                            if relationship.isOptional { continue }
                            throw Difference("\(object.label) was stored without \(key)")
                        }
                        guard (try? fresh.existingObject(with: id)) != nil else {
                            throw Difference("\(key) of \(object.label) leads nowhere")
                        }
                    }
                }
            }
        }
    }
}
