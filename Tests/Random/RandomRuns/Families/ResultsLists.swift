import CoreData
import SeededRandom
import TestSupport

/// Results controllers with limits, offsets, sections and predicates, whose context edits, rolls
/// back before changes are processed, undoes, saves and merges.
final class ResultsLists: RandomFamily {
    static let name = "results-lists"
    static let stepCount = 24

    private(set) var log: [String] = []
    private let store: RandomStore
    private let context: NSManagedObjectContext
    private let writer: NSManagedObjectContext
    private let names = RandomNames()
    private let posts: PostedSaves
    private var lists: [FollowedList] = []

    init(_ random: inout SplitMix) throws {
        store = try RandomStore(isFile: random.chance(2))
        context = store.makeContext("mine")
        writer = store.makeContext("writer")
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        writer.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        posts = PostedSaves(of: writer)
        if random.chance(2) {
            let undo = UndoManager()
            undo.groupsByEvent = false
            context.undoManager = undo
        }
        let limit = random.below(5), offset = random.below(3), bound = random.below(100)
        log.append(
            "over \(store.isFile ? "SQLite" : "memory"), limit \(limit), offset \(offset), bound "
                + "\(bound), undo \(context.undoManager != nil)"
        )
        let edit = RandomEdit(context: context, names: names)
        try context.onQueue {
            context.undoManager?.disableUndoRegistration()
            for _ in 0..<6 { edit.insert("Book", &random) }
            for _ in 0..<2 { edit.insert("Author", &random) }
            try context.save()
            context.undoManager?.enableUndoRegistration()
            let sorted = ["group", "rank", "name"]
            lists = [
                try FollowedList(context, "Book"),
                try FollowedList(context, "Book", limit: limit),
                try FollowedList(context, "Book", sortedBy: sorted, sections: "group"),
                try FollowedList(
                    context,
                    "Book",
                    format: "rank < \(bound)",
                    sortedBy: sorted,
                    sections: "group",
                    limit: limit
                ),
                try FollowedList(context, "Book", limit: limit, offset: offset),
                try FollowedList(context, "Book", format: "rank >= \(bound)", sortedBy: ["rank"]),
            ]
        }
    }

    func step(_ random: inout SplitMix) throws {
        switch random.below(20) {
        case 0, 1, 2, 3, 4, 5, 6: try edit(&random)
        case 7, 8, 9: try saveElsewhere(&random)
        case 10, 11: merge(1)
        case 12:
            log.append("rolls back")
            context.onQueue { context.rollback() }
        case 13, 14: try save()
        case 15:
            let index = random.below(lists.count)
            log.append("list \(index) is fetched")
            try context.onQueue { try lists[index].fetch() }
        case 16:
            log.append("refreshes all")
            context.onQueue { context.refreshAllObjects() }
        case 17: try undo(&random)
        case 18:
            log.append("is reset")
            try context.onQueue {
                context.reset()
                for list in lists { try list.fetch() }
            }
        default: try compare()
        }
    }

    private func edit(_ random: inout SplitMix) throws {
        let edit = RandomEdit(context: context, names: names)
        try context.onQueue {
            context.undoManager?.beginUndoGrouping()
            defer { context.undoManager?.endUndoGrouping() }
            for _ in 0...random.below(3) { log.append(try change(edit, &random)) }
        }
    }

    private func change(_ edit: RandomEdit, _ random: inout SplitMix) throws -> String {
        switch random.below(7) {
        case 0, 1: return "inserts \(edit.insert("Book", &random).label)"
        case 2:
            guard let book = try edit.pick("Book", &random) else { return "deletes nothing" }
            defer { context.delete(book) }
            return "deletes \(book.label)"
        case 3:
            context.processPendingChanges()
            return "processes changes"
        default: return try edit.setNumber(&random)
        }
    }

    private func saveElsewhere(_ random: inout SplitMix) throws {
        let edit = RandomEdit(context: writer, names: names)
        try writer.onQueue {
            writer.reset()
            for _ in 0...random.below(2) { log.append("writer " + (try edit.any(&random))) }
            do { try writer.save() } catch  where error.isRefusal {
                log.append("refused")
                writer.rollback()
            }
        }
    }

    private func merge(_ count: Int) {
        for notification in posts.take(count) {
            log.append("merges")
            context.onQueue { context.mergeChanges(fromContextDidSave: notification) }
        }
    }

    private func save() throws {
        log.append("saves")
        try context.onQueue {
            do { try context.save() } catch  where error.isRefusal {
                log.append("refused, rolls back")
                context.rollback()
            }
        }
    }

    private func undo(_ random: inout SplitMix) throws {
        guard let undo = context.undoManager else { return }
        let isRedo = random.chance(2)
        context.onQueue {
            if isRedo, undo.canRedo {
                log.append("redoes")
                context.redo()
            } else if !isRedo, undo.canUndo {
                log.append("undoes")
                context.undo()
            }
        }
    }

    /// Merges what waits, and compares.
    private func compare() throws {
        merge(.max)
        try context.onQueue {
            context.processPendingChanges()
            for (number, list) in lists.enumerated() { try list.compare("list \(number)") }
        }
    }

    func finish() throws {
        try compare()
        try save()
        try compare()
        let stored = try store.stored()
        try context.onQueue {
            context.checkConsistency()
            try Difference.check("it", try Picture.lines(context), stored)
        }
    }
}
