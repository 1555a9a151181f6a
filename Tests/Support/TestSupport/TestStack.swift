import CoreData

/// The kinds of stores that tests run over.
public enum StoreKind: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite, inMemory, binary, xml

    /// Those that a test of much data or of speed runs over: a store in a file that is written as a
    /// whole has the rows in memory, too.
    public static let large: [StoreKind] = [.sqlite, .inMemory]

    public var type: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .inMemory: NSInMemoryStoreType
        case .binary: NSBinaryStoreType
        case .xml: NSXMLStoreType
        }
    }
    /// Whether the store is a file.
    public var isFile: Bool { self != .inMemory }
    public var description: String { rawValue }
}

/// A coordinator with one store that lives as long as this, in a folder of its own.
public final class TestStack: @unchecked Sendable {
    // @unchecked: constant.

    /// The coordinator.
    public let coordinator: NSPersistentStoreCoordinator
    /// The store's file; nothing is there for a store in memory.
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
        url = folder.appendingPathComponent("Store.sqlite")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: kind.type,
            configurationName: nil,
            at: kind.isFile ? url : nil,
            options: options
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
