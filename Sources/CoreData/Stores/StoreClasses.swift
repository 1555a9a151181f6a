import Foundation

/// The store classes that coordinators make stores of, by type.
///
/// > Threading: Any thread.
enum StoreClasses {
    private static let classes = Locked(builtIn)

    static var all: [String: any RowStore.Type] { classes.withLock { $0 } }

    /// - Throws: `NSPersistentStoreInvalidTypeError` for a type that nobody registered.
    static func storeClass(_ type: String) throws -> any RowStore.Type {
        guard let known = classes.withLock({ $0[type] }) else {
            throw CocoaError.unknownStoreType(type)
        }
        return known
    }

    /// - Parameter storeClass: nil to forget the type.
    static func register(_ storeClass: AnyClass?, type: String) {
        guard let storeClass else {
            classes.withLock { $0[type] = nil }
            return
        }
        // A mistake in the client's code, which no data can cause; Apple's signature can't throw.
        guard let rowStoreClass = storeClass as? any RowStore.Type else {
            fatalError(
                "registerStoreClass: \(storeClass) must be a subclass of NSAtomicStore or "
                    + "NSIncrementalStore."
            )
        }
        classes.withLock { $0[type] = rowStoreClass }
    }
}

/// Store classes of clients.
extension NSPersistentStoreCoordinator {
    /// Has stores of a type be made of a class; see `registerStoreClass(_:forStoreType:)`.
    public class func registerStoreClass(
        _ storeClass: AnyClass?,
        type: NSPersistentStore.StoreType
    ) {
        StoreClasses.register(storeClass, type: type.rawValue)
    }
}

extension NSPersistentStore {
    /// The type of a store.
    public struct StoreType: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A store in an SQLite file.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A store in memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
        /// A store in a binary file that is read and written as a whole.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// A store in an XML file that is read and written as a whole.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
    }
}
