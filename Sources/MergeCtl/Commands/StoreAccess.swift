import CoreData
import MergeStack

/// Opens the files that commands are given.
enum StoreAccess {
    /// Reads a model file.
    static func model(_ path: String) throws -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: path)
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CommandError("There is no model file \(path).")
        }
        #if canImport(ObjectiveC)
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            throw CommandError("The file \(path) can't be read as a model.")
        }
        return model
        #else
        return try NSManagedObjectModel(readingFrom: url)
        #endif
    }

    /// A predicate that the user wrote.
    static func predicate(_ text: String) throws -> NSPredicate {
        #if canImport(ObjectiveC)
        // Apple's parser has no way to report an error; a wrong predicate ends the process there.
        return NSPredicate(format: text)
        #else
        return try NSPredicate.parse(text)
        #endif
    }

    /// A stack over a store.
    static func stack(
        model: NSManagedObjectModel,
        store path: String,
        mustExist: Bool,
        options: MergeOptions = MergeOptions()
    ) throws -> NotificationMergeStack {
        if mustExist { try checkExists(path) }
        return try NotificationMergeStack(
            model: model,
            stores: [NSPersistentStoreDescription(url: URL(fileURLWithPath: path))],
            options: options
        )
    }

    /// Closes a stack's stores.
    static func close(_ stack: NotificationMergeStack) throws {
        try DispatchQueue.main.sync { try stack.tearDown() }
    }

    /// Throws if there is no such store file; opening it would make one.
    static func checkExists(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError("There is no store \(path).")
        }
    }
}

/// What went wrong, in a sentence for the user; ends the tool with code 1.
struct CommandError: LocalizedError {
    let message: String
    var errorDescription: String? { message }

    init(_ message: String) { self.message = message }
}
