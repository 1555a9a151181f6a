import CoreData
import MergeStack
import SeededRandom
import TestSupport

/// What the main context does while saves of others wait to be merged, in every layout of contexts.
///
/// The main queue has no turn between the steps, so that a background save is not merged until
/// somebody waits for it. Afterwards main, the store and a fresh context show the same, and results
/// controllers list what a fetch gives.
final class UnmergedWindow: RandomFamily {
    static let name = "unmerged-window"
    static let stepCount = 20

    private enum Layout: CaseIterable {
        case single, notification, parentChild, privateWriter, perThread
    }

    /// Who else saves to the file.
    enum Others {
        case nobody
        /// A coordinator that the merger knows.
        case coordinator
        /// A coordinator that the merger knows nothing of, as in another process: the store's
        /// history tells what it has saved.
        case stranger
    }

    var log: [String] = []
    let store: RandomStore
    let stack: any ContextStack
    let merger: DidSaveMerger?
    let other: NSPersistentStoreCoordinator?
    let others: Others
    let names = RandomNames()
    let main: NSManagedObjectContext
    private(set) var lists: [FollowedList] = []
    private var pauses = 0
    /// What batch requests have changed, where no merger takes it.
    var unmergedIDs: [[AnyHashable: Any]] = []
    /// Objects that main's user holds.
    private var held: [NSManagedObject] = []

    init(_ random: inout SplitMix) throws {
        let layout = random.pick(Layout.allCases + [.notification, .notification])
        let isFile = !random.chance(3)
        let isAlone = layout != .notification || !isFile
        others = isAlone ? .nobody : random.pick([.nobody, .coordinator, .stranger])
        store = try RandomStore(isFile: isFile, tracksHistory: others == .stranger)
        let options = MergeOptions(
            faultPolicy: random.pick([.all, .matchingResults]),
            remoteChanges: others == .stranger ? .merged : .ignored
        )
        let coordinator = store.coordinator
        switch layout {
        case .single: stack = SingleContextStack(coordinator: coordinator)
        case .notification:
            stack = NotificationMergeStack(coordinator: coordinator, options: options)
        case .parentChild: stack = ParentChildStack(coordinator: coordinator)
        case .privateWriter: stack = PrivateWriterStack(coordinator: coordinator)
        case .perThread: stack = PerThreadStack(coordinator: coordinator, options: options)
        }
        merger = stack.layout.merger
        main = stack.mainContext
        other = others == .nobody ? nil : try store.makeOther()
        if others == .coordinator, let other { merger?.add(other) }
        log.append(
            "\(layout) over \(store.isFile ? "SQLite" : "memory"), others: \(others), faults: "
                + "\(options.faultPolicy)"
        )
        try fill(&random)
        lists = [
            try FollowedList(main, "Book"),
            try FollowedList(
                main,
                "Author",
                sortedBy: ["group", "rank", "name"],
                sections: "group"
            ),
            try FollowedList(main, "Book", format: "rank < 50"),
            try FollowedList(main, "Author", limit: 3),
        ]
        for list in lists { merger?.follow(list.controller) }
        if random.chance(2) { held = try main.everything() }
    }

    private func fill(_ random: inout SplitMix) throws {
        let edit = RandomEdit(context: main, names: names)
        for entity in ["Author", "Author", "Book", "Book", "Book", "Tag", "Shelf", "Desk"] {
            edit.insert(entity, &random)
        }
        for _ in 0..<4 { _ = try edit.setOne(&random) }
        try stack.saveAndWait(main)
        stack.waitUntilSettled()
    }

    // MARK: Steps

    func step(_ random: inout SplitMix) throws {
        switch random.below(20) {
        case 0, 1, 2, 3, 4, 5: try saveInBackground(&random)
        case 6: try batch(&random)
        case 7: try saveElsewhere(&random)
        case 8, 9, 10, 11:
            log.append("main " + (try RandomEdit(context: main, names: names).any(&random)))
        case 12, 13: try saveMain()
        case 14: try lookAround(&random)
        case 15: try refresh(&random)
        case 16:
            log.append("main rolls back")
            main.rollback()
        case 17: try failSave(&random)
        case 18: try fetchAgain(&random)
        default: try pauseOrSettle(&random)
        }
    }

    private func saveMain() throws {
        log.append("main saves")
        do {
            try stack.saveAndWait(main)
        } catch  where error.isRefusal {
            log.append("which is refused, and rolls back")
            try undoRefused(main)
        }
    }

    private func lookAround(_ random: inout SplitMix) throws {
        log.append("main looks at all that it has")
        _ = try Picture.lines(main)
        if random.chance(2) { held = try main.everything() } else { held = [] }
    }

    private func refresh(_ random: inout SplitMix) throws {
        if random.chance(2) {
            log.append("main refreshes all")
            main.refreshAllObjects()
            return
        }
        guard let object = try RandomEdit(context: main, names: names).pickAny(&random),
            !object.isInserted
        else { return }
        // Of an unsaved relationship, one end alone would lose its change.
        let isRelated = object.changedValues().keys.contains {
            object.entity.relationshipsByName[$0] != nil
        }
        let keepsChanges = isRelated || random.chance(2)
        log.append("main refreshes \(object.label), merging: \(keepsChanges)")
        main.refresh(object, mergeChanges: keepsChanges)
    }

    private func failSave(_ random: inout SplitMix) throws {
        log.append("main saves a post without owner, which fails, and deletes it")
        let post = RandomEdit(context: main, names: names).insert("Post", &random)
        do {
            try main.save()
            throw Difference("a post without owner was saved")
        } catch  where error.isRefusal {
            main.delete(post)
        }
    }

    private func fetchAgain(_ random: inout SplitMix) throws {
        let index = random.below(lists.count)
        if random.chance(4) {
            log.append("main is reset")
            held = []
            main.reset()
            for list in lists { try list.fetch() }
        } else {
            log.append("list \(index) is fetched again")
            try lists[index].fetch()
        }
    }

    private func pauseOrSettle(_ random: inout SplitMix) throws {
        switch random.below(4) {
        case 0 where merger != nil:
            log.append("merging pauses")
            merger?.pause()
            pauses += 1
        case 1 where pauses > 0:
            log.append("merging goes on")
            merger?.resume()
            pauses -= 1
        case 2:
            log.append("main's event ends")
            MainQueueTurn.run()
        default:
            guard pauses == 0 else { return }
            log.append("settles")
            try settle()
        }
    }

    private func settle() throws {
        if others == .stranger, let merger { try readHistory(merger) }
        guard stack.waitUntilSettled() else { throw Difference("waiting for merges has failed") }
        for changes in unmergedIDs {
            let contexts = sequence(first: main, next: \.parent)
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: changes,
                into: Array(contexts).reversed()
            )
        }
        unmergedIDs = []
        main.processPendingChanges()
    }

    private func readHistory(_ merger: DidSaveMerger) throws {
        let outcome = Outcome()
        merger.mergeRemoteChanges { outcome.result = $0 }
        let limit = Date(timeIntervalSinceNow: patience)
        while outcome.result == nil, limit.timeIntervalSinceNow > 0 { MainQueueTurn.run() }
        guard let result = outcome.result else { throw Difference("the history was never read") }
        try result.get()
    }

    private final class Outcome: @unchecked Sendable {
        // @unchecked: on the main queue only.
        var result: Result<Void, any Error>?
    }

    // MARK: The end

    func finish() throws {
        while pauses > 0 {
            merger?.resume()
            pauses -= 1
        }
        log.append("settles")
        try settle()
        try saveMain()
        try settle()
        // What a merge has deleted counts as a change until the next save, which writes nothing.
        try saveMain()
        try Difference.check("main", try Picture.lines(main), try store.stored())
        for (number, list) in lists.enumerated() { try list.compare("list \(number)") }
        guard !main.hasChanges else {
            throw Difference(
                "main has changes after its save: inserted \(main.insertedObjects.map(\.label)), "
                    + "updated \(main.updatedObjects.map { ($0.label, $0.changedValues().keys) }), "
                    + "deleted \(main.deletedObjects.map { "\($0.entity.name ?? "") \($0.label)" })"
            )
        }
        main.checkConsistency()
    }
}
