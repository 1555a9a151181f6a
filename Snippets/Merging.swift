// A merger at work, without one of the stacks; the articles on merging show its parts.
import CoreData
import Foundation
import MergeStack

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
@MainActor
func mergeIntoMain(of container: NSPersistentContainer) async throws {
    let mainContext = container.viewContext
    let coordinator = container.persistentStoreCoordinator
    let background = container.newBackgroundContext()
    // snippet.merger
    let merger = DidSaveMerger(into: mainContext)

    // Any context on the coordinator may save now, on any thread. To wait for one save:
    let token = try await background.perform {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: background)
        note.setValue("Hello", forKey: "title")
        return try merger.save(background)
    }
    await token.merged()
    // snippet.end
    precondition(token.isMerged)

    // snippet.pause
    merger.pause()
    for number in 1...10 {
        try await background.perform {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: background)
            note.setValue("Note \(number)", forKey: "title")
            try background.save()
        }
    }
    merger.resume()
    await merger.settled()
    print(merger.statistics.mergeCount)  // 2: the save above, and ten as one
    // snippet.end
    precondition(merger.statistics.mergeCount == 2)

    // snippet.batch
    try await background.perform {
        let request = NSBatchDeleteRequest(
            fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Note")
        )
        request.resultType = .resultTypeObjectIDs
        try merger.merge(background.execute(request))
    }
    await merger.settled()
    // snippet.end
    let count = try mainContext.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
    precondition(count == 0)
    merger.invalidate()
    _ = try followedStack(on: coordinator)
}

@MainActor
func followedStack(
    on coordinator: NSPersistentStoreCoordinator
) throws -> NSFetchedResultsController<NSManagedObject> {
    // snippet.follow
    let options = MergeOptions(faultPolicy: .matchingResults) { report in
        print("\(report.contextName ?? "?"): \(report.changedCount) in \(report.mainQueueTime)")
    }
    let stack = NotificationMergeStack(coordinator: coordinator, options: options)

    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
        fetchRequest: request,
        managedObjectContext: stack.mainContext,
        sectionNameKeyPath: nil,
        cacheName: nil
    )
    stack.merger.follow(controller)
    try controller.performFetch()
    // snippet.end
    return controller
}

func stackThatFollowsOtherProcesses(
    model: NSManagedObjectModel,
    url: URL
) throws -> NotificationMergeStack {
    // snippet.remote
    let store = NSPersistentStoreDescription(url: url)
    store.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    store.setOption(
        true as NSNumber,
        forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
    )
    let options = MergeOptions(remoteChanges: .merged)
    let stack = try NotificationMergeStack(model: model, stores: [store], options: options)
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
    .appendingPathComponent("Merging-\(UUID().uuidString)", isDirectory: true)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
container.persistentStoreDescriptions = [
    NSPersistentStoreDescription(url: folder.appendingPathComponent("Notes.sqlite"))
]
container.loadPersistentStores { _, error in
    if let error { fatalError(error.localizedDescription) }
}
try await mergeIntoMain(of: container)
let shared = try stackThatFollowsOtherProcesses(
    model: model,
    url: folder.appendingPathComponent("Shared.sqlite")
)
try await shared.merger.mergeRemoteChanges()
