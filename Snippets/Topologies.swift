// The layouts of contexts at work; the article on each shows its part.
import CoreData
import Foundation
import MergeStack

// snippet.any-stack
/// Works with every layout.
func addNotes(_ titles: [String], to stack: any ContextStack) async throws {
    try await stack.performBackground(name: "notes") { context in
        for title in titles {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
        }
    }
}
// snippet.end

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
// snippet.any-worker
/// Knows nothing of stacks but where its context comes from. Works with every layout: as many rows
/// as workers insert are on disk.
func addNotes(_ count: Int, in context: NSManagedObjectContext) throws {
    try context.performAndWait {
        for number in 1...count {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("Note \(number)", forKey: "title")
        }
        try context.save()
    }
}
// snippet.end

// snippet.per-thread
/// Called on any thread, the main one included.
func addNote(_ title: String, to stack: PerThreadStack) throws {
    let context = try stack.contextForCurrentThread()
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    note.setValue(title, forKey: "title")
    try context.save()
}
// snippet.end

@MainActor
struct Tour {
    let model: NSManagedObjectModel
    let description: NSPersistentStoreDescription

    func singleContext() async throws {
        // snippet.single-context
        let stack = try SingleContextStack(model: model, stores: [description])
        let main = stack.mainContext
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: main)
        note.setValue("Hello", forKey: "title")
        try main.save()
        // snippet.end
        try await check(stack, count: 1)
    }

    func notificationMerge() async throws {
        // snippet.notification-merge
        let stack = try NotificationMergeStack(model: model, stores: [description])
        try await stack.performBackground(name: "greeting") { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("Hello", forKey: "title")
        }
        // It is on disk, and the main context has merged it.
        let main = stack.mainContext
        let count = try main.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
        // snippet.end
        precondition(count == 2)
        try removeAllOnThisThread(stack)
        try await check(stack, count: 0)
    }

    private func removeAllOnThisThread(_ stack: NotificationMergeStack) throws {
        // snippet.confinement
        // On the calling thread, as contexts did before they had queues:
        try stack.performBackgroundAndWait(.confinement) { context in
            let notes = NSFetchRequest<NSManagedObject>(entityName: "Note")
            for note in try context.fetch(notes) { context.delete(note) }
        }
        stack.waitUntilSettled()
        // snippet.end
    }

    func parentChild() async throws {
        // snippet.parent-child
        let stack = try ParentChildStack(model: model, stores: [description])
        let form = Scratchpad(of: stack)
        let draft = NSEntityDescription.insertNewObject(forEntityName: "Note", into: form.context)
        draft.setValue("Draft", forKey: "title")

        // Saves main along with it; the draft is not in main, so it is not saved.
        try await addNotes(["Hello"], to: stack)
        form.cancel()
        // snippet.end
        try await check(stack, count: 1)
    }

    func privateWriter() async throws {
        // snippet.private-writer
        let stack = try PrivateWriterStack(model: model, stores: [description])
        let main = stack.mainContext
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: main)
        note.setValue("Hello", forKey: "title")
        stack.save(stack.mainContext) { result in
            // On the main queue, when the writer has written it or could not.
            if case .failure(let error) = result { print(error.localizedDescription) }
        }
        // snippet.end
        // The writer saves one after the other.
        try await stack.save(stack.mainContext)
        try await check(stack, count: 2)
    }

    func perThread() async throws {
        let stack = try PerThreadStack(model: model, stores: [description])
        try addNote("Hello", to: stack)
        try addNotes(2, in: stack.makeBackgroundContext())
        await stack.settled()
        try await check(stack, count: 5)
    }

    private func check(_ stack: any ContextStack, count: Int) async throws {
        let main = stack.mainContext
        let found = try main.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
        precondition(found == count, "\(type(of: stack)) shows \(found) notes, not \(count).")
        try stack.tearDown()
    }
}

let title = NSAttributeDescription()
title.name = "title"
title.attributeType = .stringAttributeType
let entity = NSEntityDescription()
entity.name = "Note"
entity.properties = [title]
let model = NSManagedObjectModel()
model.entities = [entity]
let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("Topologies-\(UUID().uuidString).sqlite")
let tour = Tour(model: model, description: NSPersistentStoreDescription(url: file))
try await tour.singleContext()
try await tour.notificationMerge()
try await tour.parentChild()
try await tour.privateWriter()
try await tour.perThread()
