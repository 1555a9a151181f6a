// A board that several programs share: posts notices, and shows those of the others as they come.
import CoreData
import Foundation
import MergeStack

/// The board, as a screen would have it: on the main queue, which merges what others post.
final class Board: NSObject, NSFetchedResultsControllerDelegate {
    let list: NSFetchedResultsController<NSManagedObject>
    private let name: String
    private let total: Int
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ name: String, total: Int, context: NSManagedObjectContext) throws {
        self.name = name
        self.total = total
        let request = NSFetchRequest<NSManagedObject>(entityName: "Notice")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        list = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        super.init()
        list.delegate = self
        try list.performFetch()
        print("\(name) finds \(count) notices.")
    }

    var count: Int { list.fetchedObjects?.count ?? 0 }
    var countOfOthers: Int {
        list.fetchedObjects?.filter {
            ($0.value(forKey: "text") as? String)?.hasPrefix(name) == false
        }
        .count ?? 0
    }

    /// Waits until so many notices are there.
    @MainActor func full() async {
        guard count < total else { return }
        await withCheckedContinuation { waiting = $0 }
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        print("\(name) sees \(count) notices.")
        guard count >= total else { return }
        waiting?.resume()
        waiting = nil
    }
}

func makeModel() -> NSManagedObjectModel {
    let text = NSAttributeDescription()
    text.name = "text"
    text.attributeType = .stringAttributeType
    let entity = NSEntityDescription()
    entity.name = "Notice"
    entity.managedObjectClassName = "NSManagedObject"
    entity.properties = [text]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
}

@MainActor func run(
    _ name: String,
    count: Int,
    total: Int,
    store: NSPersistentStoreDescription
) async throws {
    let stack = try NotificationMergeStack(
        model: makeModel(),
        stores: [store],
        options: MergeOptions(remoteChanges: .merged(ownAuthors: []))
    )
    let board = try Board(name, total: total, context: stack.mainContext)
    // One save for each notice, in the background.
    for number in 1...count {
        try await stack.performBackground { context in
            NSEntityDescription.insertNewObject(forEntityName: "Notice", into: context)
                .setValue("\(name)'s notice \(number)", forKey: "text")
        }
    }
    print("\(name) has posted \(count) notices.")
    await board.full()
    print(
        "\(name) ends with \(board.count) notices, \(board.countOfOthers) of them by others."
    )
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4, let url = URL(string: arguments[0]), let count = Int(arguments[2]),
    let total = Int(arguments[3])
else {
    print("usage: Noticeboard URL NAME COUNT TOTAL [FOLDER]")
    exit(64)
}
// The store: on a server, where whoever comes first makes it.
let store = NSPersistentStoreDescription(url: url)
store.type = NSPersistentStore.StoreType.postgreSQL.rawValue
store.setOption(
    true as NSNumber,
    forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
)
if arguments.count > 4 {
    let folder = URL(fileURLWithPath: arguments[4], isDirectory: true)
    store.setOption(folder as NSURL, forKey: PostgreSQLReplicaFolderOption)
}
do {
    try await run(arguments[1], count: count, total: total, store: store)
} catch {
    print("\(arguments[1]) can't go on: \(error.localizedDescription)")
    exit(1)
}
