import CoreData
import TestSupport

/// A coordinator with an empty store. An SQLite file is the copy of one that was set up before,
/// which is quicker than to set it up.
final class RandomStore {
    let coordinator: NSPersistentStoreCoordinator
    let isFile: Bool
    private let tracksHistory: Bool
    private let url: URL?

    /// - Parameter tracksHistory: Whether a file keeps a history of what is saved.
    init(isFile: Bool, tracksHistory: Bool = false) throws {
        self.isFile = isFile
        self.tracksHistory = tracksHistory
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: RandomModel.model)
        guard isFile else {
            url = nil
            _ = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType,
                configurationName: nil,
                at: nil,
                options: nil
            )
            return
        }
        let url = try Self.template.makeCopy()
        self.url = url
        try Self.add(url, to: coordinator, tracksHistory: tracksHistory)
    }

    deinit {
        do {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            guard let url else { return }
            for suffix in ["", "-wal", "-shm"]
            where FileManager.default.fileExists(atPath: url.path + suffix) {
                try FileManager.default.removeItem(atPath: url.path + suffix)
            }
        } catch {
            print("A store of a random test could not be removed: \(error)")
        }
    }

    /// Another coordinator of the same file.
    func makeOther() throws -> NSPersistentStoreCoordinator? {
        guard let url else { return nil }
        let other = NSPersistentStoreCoordinator(managedObjectModel: RandomModel.model)
        try Self.add(url, to: other, tracksHistory: tracksHistory)
        return other
    }

    func makeContext(_ name: String) -> NSManagedObjectContext {
        coordinator.makeRandomContext(name)
    }

    /// What a context of its own shows.
    func stored() throws -> [String] {
        let fresh = makeContext("fresh")
        return try fresh.onQueue { try Picture.lines(fresh) }
    }

    private static func add(
        _ url: URL,
        to coordinator: NSPersistentStoreCoordinator,
        tracksHistory: Bool
    ) throws {
        var options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["synchronous": "OFF"]]
        if tracksHistory { options[NSPersistentHistoryTrackingKey] = true }
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: options
        )
    }

    private static let template = Template()

    /// > Threading: The main thread only.
    private final class Template: @unchecked Sendable {
        // @unchecked: see above.
        private var made: URL?
        private var count = 0

        func makeCopy() throws -> URL {
            let source = try made ?? make()
            made = source
            count += 1
            let copy = source.deletingLastPathComponent()
                .appendingPathComponent("Store\(count).sqlite")
            try FileManager.default.copyItem(at: source, to: copy)
            return copy
        }

        private func make() throws -> URL {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("RandomRuns-\(ProcessInfo.processInfo.processIdentifier)")
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true
            )
            let url = folder.appendingPathComponent("Template.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RandomModel.model)
            try RandomStore.add(url, to: coordinator, tracksHistory: false)
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            return url
        }
    }
}

extension NSPersistentStoreCoordinator {
    func makeRandomContext(_ name: String) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        context.name = name
        return context
    }
}
