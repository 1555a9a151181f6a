// Forms, references, seeds and files; the article of that name shows the parts.
import CoreData
import Foundation
import MergeExchange
import MergeStack

@MainActor
func edit(_ selectedNote: NSManagedObject, in stack: NotificationMergeStack) throws {
    // snippet.form
    let form = Scratchpad(of: stack)
    let note = try form.object(ObjectReference(selectedNote))
    note.setValue("Better title", forKey: "title")
    try form.saveAndWait()
    // snippet.end
}

@MainActor
func handOver(_ selectedNote: NSManagedObject, in stack: NotificationMergeStack) async throws {
    // snippet.reference
    let reference = try ObjectReference(selectedNote)
    try await stack.performBackground { context in
        let note = try reference.resolve(in: context)
        note.setValue("From the background", forKey: "title")
    }
    // snippet.end
}

@MainActor
func writeAndRead(_ file: URL, _ stack: NotificationMergeStack) async throws {
    // snippet.files
    let exported = try await Exporter(stack: stack).exportFile(to: file, entityName: "Note")
    let imported = try await Importer(stack: stack).importFile(at: file, entityName: "Note")
    print("\(exported.rowCount) rows out, \(imported.rowCount) in")
    // snippet.end
}

@MainActor
func seeded(
    _ storeURL: URL,
    by preparedURL: URL,
    model: NSManagedObjectModel
) throws -> NotificationMergeStack {
    // snippet.seed
    try StoreSeed(at: preparedURL).install(at: storeURL)
    let stack = try NotificationMergeStack(
        model: model,
        stores: [NSPersistentStoreDescription(url: storeURL)]
    )
    // snippet.end
    return stack
}

let title = NSAttributeDescription()
title.name = "title"
title.attributeType = .stringAttributeType
let entity = NSEntityDescription()
entity.name = "Note"
entity.properties = [title]
let model = NSManagedObjectModel()
model.entities = [entity]
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("Working-\(UUID().uuidString)", isDirectory: true)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let preparedURL = folder.appendingPathComponent("Prepared.sqlite")

let first = try NotificationMergeStack(
    model: model,
    stores: [NSPersistentStoreDescription(url: preparedURL)]
)
let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: first.mainContext)
note.setValue("Title", forKey: "title")
try first.saveAndWait(first.mainContext)
try edit(note, in: first)
precondition(note.value(forKey: "title") as? String == "Better title")
try await handOver(note, in: first)
precondition(note.value(forKey: "title") as? String == "From the background")
try await writeAndRead(folder.appendingPathComponent("Notes.csv"), first)
try first.tearDown()

let storeURL = folder.appendingPathComponent("App.sqlite")
let second = try seeded(storeURL, by: preparedURL, model: model)
let count = try second.mainContext.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
precondition(count == 2)
