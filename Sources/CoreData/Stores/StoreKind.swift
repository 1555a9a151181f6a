import Foundation

/// The kinds of stores that a coordinator can add.
enum StoreKind {
    case sqlite, inMemory

    /// - Throws: `NSPersistentStoreInvalidTypeError` for a type that there is no store for.
    init(_ type: String) throws {
        switch type {
        case NSSQLiteStoreType: self = .sqlite
        case NSInMemoryStoreType: self = .inMemory
        default: throw CocoaError.unknownStoreType(type)
        }
    }

    var isFile: Bool { self == .sqlite }

    /// Where a store is that was added without a URL.
    func defaultURL() throws -> URL {
        guard self == .inMemory else {
            throw CocoaError.storeOpen(nil, "an SQLite store needs a URL; give one")
        }
        return URL(fileURLWithPath: "/dev/null")
    }

    /// A store that is not open yet.
    func make(
        coordinator: NSPersistentStoreCoordinator,
        configurationName: String?,
        at url: URL,
        options: [AnyHashable: Any]?
    ) -> any RowStore {
        switch self {
        case .sqlite:
            SQLiteStore(
                persistentStoreCoordinator: coordinator,
                configurationName: configurationName,
                at: url,
                options: options
            )
        case .inMemory:
            InMemoryStore(
                persistentStoreCoordinator: coordinator,
                configurationName: configurationName,
                at: url,
                options: options
            )
        }
    }

    /// The metadata of a store's file.
    func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
        switch self {
        case .sqlite: return try SQLiteStore.metadata(at: url)
        case .inMemory: return [NSStoreTypeKey: NSInMemoryStoreType]
        }
    }

    /// Deletes a store's file with all that belongs to it.
    func destroy(at url: URL) throws {
        if self == .sqlite { try SQLiteStore.destroy(at: url) }
    }
}
