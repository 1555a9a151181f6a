import CoreData
import Foundation
import MergeExchange
import MergeStack

/// The store and the contexts of the app.
///
/// > Threading: On the main queue.
final class Shelf {
    let stack: NotificationMergeStack
    /// What runs in the background.
    let background = DispatchGroup()
    private let say: (String) -> Void

    /// Opens the store in a folder; puts the books there that the app comes with at the first start.
    init(in folder: URL, say: @escaping (String) -> Void) throws {
        self.say = say
        let store = folder.appendingPathComponent("Shelf.sqlite")
        if let seed = Bundle.module.url(forResource: "Seed", withExtension: "sqlite"),
            try StoreSeed(at: seed).install(at: store)
        {
            say("This is the first start: some books are on the shelf already.")
        }
        stack = try NotificationMergeStack(
            model: Book.model,
            stores: [NSPersistentStoreDescription(url: store)]
        )
    }

    /// Adds the books of a CSV or JSON file in the background; the list follows.
    func importBooks(from file: URL) {
        background.enter()
        Importer(stack: stack).importFile(at: file, entityName: "Book") { [self] result in
            switch result {
            case .success(let counts):
                say(
                    "Imported \(file.lastPathComponent): \(counts.createdCount) new, "
                        + "\(counts.updatedCount) changed, \(counts.failedCount) bad."
                )
            case .failure(let error): say("Not imported: \(error.localizedDescription)")
            }
            background.leave()
        }
    }

    /// Writes all books to a CSV or JSON file in the background.
    func exportBooks(to file: URL) {
        var options = ExportOptions()
        options.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        background.enter()
        Exporter(stack: stack, options: options)
            .exportFile(to: file, entityName: "Book") { [self] result in
                switch result {
                case .success(let counts):
                    say("Exported \(counts.rowCount) books to \(file.lastPathComponent).")
                case .failure(let error): say("Not exported: \(error.localizedDescription)")
                }
                background.leave()
            }
    }
}
