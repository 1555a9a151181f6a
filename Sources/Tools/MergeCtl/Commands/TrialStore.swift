import CoreData

/// A copy of a store, or a new one where there is none, to try something on.
struct TrialStore {
    let name: StoreName
    private let folder: URL

    init(of store: StoreName, _ model: NSManagedObjectModel) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("mergectl-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appendingPathComponent("trial.sqlite")
        name = StoreName(file: copy.path)
        do {
            if store.isOnServer {
                try StoreTransfer(source: store, target: name, model: model).run()
            } else if StorePlace.isTaken(store.text) {
                // Now, while the file has the name that the user knows.
                try StorePlace.check(store.text, isReadOnly: false)
                try StoreCopy.make(of: URL(fileURLWithPath: store.text), at: copy)
            }
        } catch {
            remove()
            throw error
        }
    }

    func remove() {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Terminal.printError("mergectl: \(folder.path) can't be removed: \(error)")
        }
    }
}
