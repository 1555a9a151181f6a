import CoreData

/// The kinds of stores that tests run over.
public enum StoreKind: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite, inMemory, binary, xml
    #if PostgreSQL
    /// PostgreSQL. Its names stand in texts here: this source is for Apple's framework, too.
    case server

    /// All that are to be had here; where the tests of a build without PostgreSQL have run over the
    /// others, only that one.
    public static let allCases: [StoreKind] = {
        guard PostgreSQLServer.isInstalled else { return local }
        let asked = ProcessInfo.processInfo.environment["MERGESTACK_TESTED_STORES"]
        return asked == StoreKind.server.rawValue ? [.server] : local + [.server]
    }()
    #else
    public static let allCases = local
    #endif
    /// Those that need no server: for tests of what a store's place is, which for others is no file
    /// and not nothing.
    public static let local: [StoreKind] = [.sqlite, .inMemory, .binary, .xml]

    /// Those that keep their rows in a database, and so know batch requests.
    public static let databases = allCases.filter { !local.contains($0) || $0 == .sqlite }

    /// Those that a test of much data or of speed runs over: a store in a file that is written as a
    /// whole has the rows in memory, too.
    public static let large: [StoreKind] = [.sqlite, .inMemory]

    public var type: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .inMemory: NSInMemoryStoreType
        case .binary: NSBinaryStoreType
        case .xml: NSXMLStoreType
        #if PostgreSQL
        case .server: "PostgreSQL"
        #endif
        }
    }
    /// Whether the store is a file.
    public var isFile: Bool { [.sqlite, .binary, .xml].contains(self) }
    public var description: String { rawValue }
}

extension StoreKind {
    /// Where a store of a test is, and the options that it needs there.
    fileprivate func place(_ folder: URL) throws -> (url: URL, options: [AnyHashable: Any]) {
        #if PostgreSQL
        if self == .server {
            // A schema of its own in the server of all tests, by the name of the test's folder.
            let options: [AnyHashable: Any] = [
                "PostgreSQLSchemaOption": String(folder.lastPathComponent.suffix(36)).lowercased(),
                "PostgreSQLReplicaFolderOption": folder,
            ]
            return (try PostgreSQLServer.shared().url, options)
        }
        #endif
        return (folder.appendingPathComponent("Store.sqlite"), [:])
    }
}

/// A coordinator with one store that lives as long as this, in a folder of its own.
public final class TestStack: @unchecked Sendable {
    // @unchecked: constant.

    /// The coordinator.
    public let coordinator: NSPersistentStoreCoordinator
    /// The store's file, or the URL of its server; nothing is there for a store in memory.
    public let url: URL
    private let folder: URL

    /// Makes a stack.
    public init(
        _ kind: StoreKind,
        model: NSManagedObjectModel = SampleModel.make(),
        options: [AnyHashable: Any]? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackTests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let place = try kind.place(folder)
        url = place.url
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: kind.type,
            configurationName: nil,
            at: kind == .inMemory ? nil : url,
            options: options?.merging(place.options, uniquingKeysWith: { said, _ in said })
                ?? (place.options.isEmpty ? nil : place.options)
        )
    }

    deinit {
        for store in coordinator.persistentStores {
            do {
                try coordinator.remove(store)
            } catch {
                print("A test store could not be removed: \(error)")
            }
        }
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("A test folder could not be removed: \(error)")
        }
    }

    /// A context with a queue of its own.
    public func makeContext(_ name: String? = nil) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.name = name
        return context
    }

    /// A context for the main queue.
    public func makeMainContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.name = "main"
        return context
    }
}
