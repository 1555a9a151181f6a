import CoreData
import TestSupport
import Testing

/// What objects do while a merge of many updates gives them new values, one after the other.
@Suite struct MergeCallbackTests {
    private static let count = 300

    /// A context that has read all notes, and the notification of another one that has changed each.
    private func withMerge(
        _ kind: StoreKind,
        _ body: (
            _ context: NSManagedObjectContext, _ notes: [MergedNote], _ saved: Notification
        ) throws -> Void
    ) throws {
        try withStack(kind, model: MergedNote.model()) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                for _ in 0..<Self.count { context.make("Diary", ["text": "old"]) }
                try context.save()
                let notes = try context.all("Diary").compactMap { $0 as? MergedNote }
                for note in notes { _ = note.value(forKey: "text") }
                try #require(notes.count == Self.count)
                let saved = try didSave(of: other) { other in
                    for note in try other.all("Diary") { note.setValue("new", forKey: "text") }
                }
                // What they call back holds them.
                defer { for note in notes { note.onRefresh = { _ in } } }
                try body(context, notes, saved)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eachIsToldOnceAndShowsItsNewValues(kind: StoreKind) throws {
        try withMerge(kind) { context, notes, saved in
            var told: [NSManagedObjectID] = []
            for note in notes { note.onRefresh = { told.append($0.objectID) } }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(told.count == Self.count && Set(told).count == Self.count)
            #expect(notes.allSatisfy { $0.text("text") == "new" })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneMayResetTheContext(kind: StoreKind) throws {
        try withMerge(kind) { context, notes, saved in
            var told = 0
            for note in notes {
                note.onRefresh = { _ in
                    told += 1
                    context.reset()
                }
            }
            context.mergeChanges(fromContextDidSave: saved)
            // The others have left the context.
            #expect(told == 1)
            #expect(context.registeredObjects.isEmpty)
            let again = try context.all("Diary")
            #expect(again.count == Self.count)
            #expect(again.allSatisfy { $0.text("text") == "new" })
        }
    }

    /// Those with changes of their own take more than a new row, and are among the others.
    @Test(arguments: StoreKind.allCases)
    func eachIsNamedOnceThoughOneHasPendingChangesProcessed(kind: StoreKind) throws {
        try withMerge(kind) { context, notes, saved in
            for place in [0, 1, 50, 51, 150, Self.count - 1] {
                notes[place].setValue("mine", forKey: "text")
                notes[place].onRefresh = { _ in context.processPendingChanges() }
            }
            context.processPendingChanges()
            let log = NotificationLog(context)
            context.mergeChanges(fromContextDidSave: saved)
            let named = log.notifications.flatMap {
                $0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []
            }
            #expect(named.count == Self.count && Set(named) == Set(notes))
            #expect(notes.count { $0.text("text") == "mine" } == 6)
            #expect(notes.count { $0.text("text") == "new" } == Self.count - 6)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneMayDeleteTheOthers(kind: StoreKind) throws {
        try withMerge(kind) { context, notes, saved in
            var kept: MergedNote?
            for note in notes {
                note.onRefresh = { note in
                    guard kept == nil else { return }
                    kept = note
                    for other in notes where other !== note { context.delete(other) }
                }
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(context.deletedObjects.count == Self.count - 1)
            try context.save()
            #expect(try context.all("Diary") == [try #require(kept)])
            #expect(kept?.text("text") == "new")
        }
    }

    /// The rows behind the one that is merged have no objects when the merge begins.
    @Test(arguments: StoreKind.allCases)
    func oneMayFetchWhatTheMergeHasNotComeTo(kind: StoreKind) throws {
        try withMerge(kind) { context, notes, saved in
            let first = try #require(notes.first), id = first.objectID
            context.reset()
            let only = try #require(try context.existingObject(with: id) as? MergedNote)
            #expect(only.text("text") == "new")
            context.refresh(only, mergeChanges: true)
            var fetched: Result<[NSManagedObject], any Error>?
            only.onRefresh = { _ in fetched = Result { try context.all("Diary") } }
            defer { only.onRefresh = { _ in } }
            context.mergeChanges(fromContextDidSave: saved)
            let all = try #require(fetched).get()
            #expect(all.count == Self.count)
            #expect(all.allSatisfy { $0.text("text") == "new" })
        }
    }
}

/// Calls back when its values are replaced.
final class MergedNote: NSManagedObject {
    var onRefresh: (MergedNote) -> Void = { _ in }

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        if flags.contains(.refresh) { onRefresh(self) }
    }

    static func model() -> NSManagedObjectModel {
        let model = Diary.model()
        model.entities[0].managedObjectClassName = NSStringFromClass(MergedNote.self)
        return model
    }
}
