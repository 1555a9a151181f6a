import CoreData
import MergeStack

/// Opens the files that commands are given.
enum StoreAccess {
    /// Reads a model file, or the model that a store keeps.
    static func model(_ path: String) throws -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: path)
        try checkIsModel(path)
        #if canImport(ObjectiveC)
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            throw CommandError("The file \(path) can't be read as a model.")
        }
        return model
        #else
        if isNamedAsModel(path) { return try NSManagedObjectModel(readingFrom: url) }
        return try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        #endif
    }

    /// Throws if there is neither a model nor a store that may keep one.
    private static func checkIsModel(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError("There is no model \(path). Check the path.")
        }
        guard !isNamedAsModel(path) else { return }
        do {
            try StorePlace.check(path)
        } catch {
            throw CommandError(
                "\(error.localizedDescription) A model's name ends in .xcdatamodeld, .xcdatamodel, "
                    + ".momd or .mom."
            )
        }
    }

    static func isNamedAsModel(_ path: String) -> Bool {
        ["xcdatamodeld", "xcdatamodel", "momd", "mom", "omo"]
            .contains((path as NSString).pathExtension)
    }

    /// The model for a store: the file that the user gave, or what the store keeps.
    static func model(_ path: String?, forStore store: StoreName) throws -> NSManagedObjectModel {
        if let path { return try model(path) }
        guard !store.isOnServer else {
            throw CommandError("A server does not keep the model of a store; give --model.")
        }
        try StorePlace.check(store.text)
        #if canImport(ObjectiveC)
        throw CommandError("Opening a store needs its model here; give --model.")
        #else
        let url = URL(fileURLWithPath: store.text)
        return try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        #endif
    }

    /// What a model's file says that is not known.
    static func unrecognizedParts(of model: NSManagedObjectModel) -> [String] {
        #if canImport(ObjectiveC)
        []
        #else
        model.unrecognizedParts
        #endif
    }

    /// Compiles a model's source; gives what could not be compiled, a sentence each.
    static func compile(_ source: String, to target: String, module: String?) throws -> [String] {
        guard FileManager.default.fileExists(atPath: source) else {
            throw CommandError("There is no model \(source). Check the path.")
        }
        let isFolder = (target as NSString).pathExtension == "momd"
        try TargetPlace.check(target, replacesFolder: isFolder)
        #if canImport(ObjectiveC)
        throw CommandError("Use xcrun momc to compile models here.")
        #else
        do {
            if source.hasSuffix(".xcmappingmodel") {
                try NSMappingModel.compile(
                    URL(fileURLWithPath: source),
                    to: URL(fileURLWithPath: target)
                )
                return []
            }
            return try NSManagedObjectModel.compile(
                URL(fileURLWithPath: source),
                to: URL(fileURLWithPath: target),
                module: module
            )
        } catch {
            throw TargetPlace.failure(error, target)
        }
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
    ///
    /// - Parameters:
    ///   - mustExist: Whether a file is looked at first. A server is asked by opening.
    ///   - isReadOnly: Whether each byte of the store stays as it is.
    ///   - tracksHistory: Whether the store keeps a history, and tells of what other processes
    ///     write.
    static func stack(
        model: NSManagedObjectModel,
        store: StoreName,
        mustExist: Bool,
        isReadOnly: Bool = false,
        tracksHistory: Bool = false,
        options: MergeOptions = MergeOptions()
    ) throws -> NotificationMergeStack {
        let description = store.description(isReadOnly: isReadOnly, tracksHistory: tracksHistory)
        if !store.isOnServer {
            if mustExist { try StorePlace.check(store.text, isReadOnly: isReadOnly) }
            description.configuration = configuration(of: store.text, in: model)
        }
        return try NotificationMergeStack(model: model, stores: [description], options: options)
    }

    /// The configuration that a store was made with; nil for the whole model, and where it can't
    /// be told: opening the store says why.
    private static func configuration(
        of path: String,
        in model: NSManagedObjectModel
    ) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType,
                at: URL(fileURLWithPath: path),
                options: nil
            )
            func fits(_ name: String?) -> Bool {
                model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata)
            }
            return fits(nil) ? nil : model.configurations.first { fits($0) }
        } catch {
            return nil
        }
    }

    /// Closes a stack's stores.
    static func close(_ stack: NotificationMergeStack) throws {
        try DispatchQueue.main.sync { try stack.tearDown() }
    }
}

/// What went wrong, in a sentence for the user; ends the tool with code 1.
struct CommandError: LocalizedError {
    let message: String
    var errorDescription: String? { message }

    init(_ message: String) { self.message = message }
}
