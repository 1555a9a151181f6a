// A list on the main queue that follows two imports in the background.
import CoreData
import Foundation
import MergeStack

final class Note: NSManagedObject {
    @NSManaged var title: String
}

// The model, in code.
let title = NSAttributeDescription()
title.name = "title"
title.attributeType = .stringAttributeType
let entity = NSEntityDescription()
entity.name = "Note"
entity.managedObjectClassName = NSStringFromClass(Note.self)
entity.properties = [title]
let model = NSManagedObjectModel()
model.entities = [entity]

// The store: an SQLite file. It is there again when the program runs once more.
let file = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "Notes.sqlite")
let stack = try NotificationMergeStack(
    model: model,
    stores: [NSPersistentStoreDescription(url: file)]
)

// The list, as a screen would have it.
final class Screen: NSObject, NSFetchedResultsControllerDelegate {
    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        print("The list shows \(controller.fetchedObjects?.count ?? 0) notes.")
    }
}
let request = NSFetchRequest<Note>(entityName: "Note")
request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
let list = NSFetchedResultsController(
    fetchRequest: request,
    managedObjectContext: stack.mainContext,
    sectionNameKeyPath: nil,
    cacheName: nil
)
let screen = Screen()
list.delegate = screen
try list.performFetch()
print("There are \(list.fetchedObjects?.count ?? 0) notes in \(file.lastPathComponent).")

// Each of them has a context and a queue of its own, and is saved when its work is done. The list
// is on the main queue, and changes as the main context merges what they have saved.
async let first: Void = stack.performBackground { context in
    for number in 1...500 { Note(context: context).title = "Note \(number) of the first" }
}
async let second: Void = stack.performBackground { context in
    for number in 1...500 { Note(context: context).title = "Note \(number) of the second" }
}
_ = try await (first, second)
print("Both are saved, and the list shows \(list.fetchedObjects?.count ?? 0) notes.")
