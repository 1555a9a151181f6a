import CoreData
import StoreInspection

/// Copies all objects of a store into a new one of another kind: from a server into a file, or from a
/// file to a server.
struct StoreTransfer {
    let source: StoreName
    let target: StoreName
    /// Of both.
    let model: NSManagedObjectModel

    /// Copies; the source is only read.
    ///
    /// - Returns: How many objects the copy has.
    @discardableResult
    func run() throws -> Int {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let from = source.description(isReadOnly: true, tracksHistory: false)
        let to = target.description(isReadOnly: false, tracksHistory: false)
        guard let fromURL = from.url, let toURL = to.url else {
            throw CommandError("A store to be copied has no place.")
        }
        let store = try coordinator.addPersistentStore(
            ofType: from.type,
            configurationName: nil,
            at: fromURL,
            options: from.options
        )
        let copy = try coordinator.migratePersistentStore(
            store,
            to: toURL,
            options: to.options,
            withType: to.type
        )
        try coordinator.remove(copy)
        return try count()
    }

    /// Counts what the copy has, as whoever opens it next finds it.
    private func count() throws -> Int {
        let stack = try StoreAccess.stack(
            model: model,
            store: target,
            mustExist: true,
            isReadOnly: true
        )
        let counts = try EntityCounts.counts(in: stack)
        try StoreAccess.close(stack)
        return counts.reduce(0) { $0 + $1.count }
    }
}
