import CoreData
import MergeStack

// snippet.hide
// The quick start of the README and of the documentation, as it compiles.
import Foundation

let title = NSAttributeDescription()
title.name = "title"
title.attributeType = .stringAttributeType
let entity = NSEntityDescription()
entity.name = "Note"
entity.properties = [title]
let model = NSManagedObjectModel()
model.entities = [entity]
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
// Saved, and the main context shows it:
let notes = try stack.mainContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
// snippet.hide
print("\(notes.count) note in the main context")
