import Dispatch
import Foundation

/// A model, a coordinator and a main-queue context in one.
///
/// > Threading: `viewContext` is used on the main queue; all else on any thread, once stores are
/// > loaded.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    // @unchecked: mutable state is behind `descriptions`' lock; the rest is constant.

    /// The name of the container, of the model it looks for, and of the default store file.
    open var name: String { givenName }
    private let givenName: String
    /// The model.
    open var managedObjectModel: NSManagedObjectModel { coordinator.managedObjectModel }
    /// The coordinator.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { coordinator }
    /// The context for the main queue.
    open var viewContext: NSManagedObjectContext { mainContext }
    private let coordinator: NSPersistentStoreCoordinator
    private let mainContext: NSManagedObjectContext
    private let descriptions: Locked<[NSPersistentStoreDescription]>

    /// The stores to load; one SQLite store in `defaultDirectoryURL()` unless set.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { descriptions.withLock { $0 } }
        set { descriptions.withLock { $0 = newValue } }
    }

    /// The directory of stores whose description names no other.
    @discardableResult
    open class func defaultDirectoryURL() -> URL {
        let directory =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSTemporaryDirectory())
        return directory.appendingPathComponent(
            ProcessInfo.processInfo.processName,
            isDirectory: true
        )
    }

    /// Makes a container with the model of that name in the main bundle, or in a resource bundle of
    /// a Swift package beside the program; with all models there if none has the name.
    public convenience init(name: String) {
        let url = ModelLookup.modelURLs(in: nil).first {
            $0.deletingPathExtension().lastPathComponent == name
        }
        let model = url.flatMap { NSManagedObjectModel(contentsOf: $0) }
        guard let found = model ?? NSManagedObjectModel.mergedModel(from: nil) else {
            fatalError(
                "Failed to load a model named \(name): put \(name).xcdatamodeld into the program's "
                    + "resources, or use init(name:managedObjectModel:)."
            )
        }
        self.init(name: name, managedObjectModel: found)
    }

    /// Makes a container with a model.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        givenName = name
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        mainContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        mainContext.persistentStoreCoordinator = coordinator
        mainContext.name = "viewContext"
        descriptions = Locked([
            NSPersistentStoreDescription(
                url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite")
            )
        ])
        super.init()
    }

    /// Adds the stores that are described and not added yet.
    ///
    /// Call it again after an error, for instance: the stores that are there stay as they are.
    ///
    /// - Parameter block: Called for each description, without an error if its store is there, and
    ///   before this returns, unless the description asks to add the store asynchronously.
    open func loadPersistentStores(
        completionHandler block:
            @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if persistentStoreCoordinator.hasStore(description) {
                Self.tell(description, block)
                continue
            }
            if let url = description.url, Self.isFile(description.type) {
                do {
                    // SQLite makes a missing file, but no folder, and the default one need not be
                    // there.
                    try FileManager.default.createDirectory(
                        at: url.deletingLastPathComponent(),
                        withIntermediateDirectories: true
                    )
                } catch {
                    block(description, CocoaError.fileNotWritable(url, underlying: error))
                    continue
                }
            }
            persistentStoreCoordinator.addPersistentStore(
                with: description,
                completionHandler: block
            )
        }
    }

    /// Tells that a store is there, on the thread where its description has it added.
    private static func tell(
        _ description: NSPersistentStoreDescription,
        _ block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        guard description.shouldAddStoreAsynchronously else { return block(description, nil) }
        // The block runs once for it, on that thread.
        nonisolated(unsafe) let block = block
        DispatchQueue.global().async { block(description, nil) }
    }

    private static func isFile(_ storeType: String) -> Bool {
        StoreClasses.all[storeType]?.isFile ?? false
    }

    /// A new context with a queue of its own, on the container's coordinator.
    ///
    /// It merges what others save if you set `automaticallyMergesChangesFromParent`. Apple's page says that
    /// it is set to do so; Apple's framework does not, as clients' tests and their reports say, and
    /// their code relies on that.
    @discardableResult
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        // The open property and not `coordinator`, for a subclass may give another one.
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a new background context, on its queue.
    @preconcurrency
    open func performBackgroundTask(
        _ block: @escaping @Sendable (NSManagedObjectContext) -> Void
    ) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block with a new background context, on its queue, and returns its result.
    @_disfavoredOverload
    @preconcurrency
    public func performBackgroundTask<T, Failure: Error>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws(Failure) -> T
    ) async throws(Failure) -> T {
        let context = newBackgroundContext()
        return try await context.perform { () throws(Failure) -> T in try block(context) }
    }
}
