// The quick start of the README, as it compiles.

// snippet.hide
import CoreData
import Foundation
import MergeStack

func makeModel() -> NSManagedObjectModel {
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    let note = NSEntityDescription()
    note.name = "Note"
    note.properties = [title]
    let model = NSManagedObjectModel()
    model.entities = [note]
    return model
}

func run() async throws {
    let model = makeModel()
    let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("QuickStart-\(UUID().uuidString).sqlite")
    let description = NSPersistentStoreDescription(url: file)
    // snippet.show
    let stack = try NotificationMergeStack(model: model, stores: [description])

    // Any number of throwaway contexts, each on a queue of its own:
    try await stack.performBackground { context in
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("Hello", forKey: "title")
    }
    // Saved, and on its way to the main context.
    await stack.merger.settled()
    // snippet.hide
    let count = try await stack.mainContext.perform {
        try stack.mainContext.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
    }
    print("\(count) note in the main context")
}

try await run()
