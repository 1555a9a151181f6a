import CoreData
import TestSupport
import Testing

/// Runs a body with a stack that stays alive until the body has ended.
func withStack<Result>(
    _ kind: StoreKind,
    model: NSManagedObjectModel = SampleModel.make(),
    options: [AnyHashable: Any]? = nil,
    _ body: (TestStack) throws -> Result
) throws -> Result {
    let stack = try TestStack(kind, model: model, options: options)
    return try withExtendedLifetime(stack) { try body(stack) }
}

/// Runs a body with a private-queue context, on its queue.
func withContext<Result>(
    _ kind: StoreKind,
    model: NSManagedObjectModel = SampleModel.make(),
    _ body: (NSManagedObjectContext) throws -> Result
) throws -> Result {
    try withStack(kind, model: model) { stack in
        let context = stack.makeContext()
        return try context.onQueue { try body(context) }
    }
}

extension NSManagedObjectContext {
    /// Inserts an object with values.
    @discardableResult
    func make(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// The objects of an entity, in the order of a key.
    func all(
        _ entity: String,
        sortedBy key: String? = nil,
        where predicate: NSPredicate? = nil
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return try fetch(request)
    }

    /// The only object of an entity.
    func only(_ entity: String) throws -> NSManagedObject {
        let objects = try all(entity)
        #expect(objects.count == 1)
        return try #require(objects.first)
    }

    func number(_ entity: String) throws -> Int {
        try count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    /// Makes changes that are one step of undo.
    func step(_ body: () throws -> Void) rethrows {
        undoManager?.beginUndoGrouping()
        try body()
        undoManager?.endUndoGrouping()
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }
    func integer(_ key: String) -> Int? { value(forKey: key) as? Int }
    func set(_ key: String) -> Set<NSManagedObject> {
        value(forKey: key) as? Set<NSManagedObject> ?? []
    }
    func one(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
}

/// The code of the error that a body throws; nil if it throws none.
func errorCode(_ body: () throws -> Void) -> Int? { caughtError(body)?.code }

/// The error that a body throws.
func caughtError(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}

/// What a context has posted, in order, until it is stopped.
final class NotificationLog: @unchecked Sendable {
    // @unchecked: observers run on the context's queue, which the test waits for.
    private(set) var notifications: [Notification] = []
    private var tokens: [any NSObjectProtocol] = []

    init(_ context: NSManagedObjectContext) {
        let names: [Notification.Name] = [
            .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange,
            .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
            .NSManagedObjectContextDidMergeChangesObjectIDs,
        ]
        for name in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                    [weak self] in self?.notifications.append($0)
                }
            )
        }
    }

    deinit { stop() }

    func stop() {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
        tokens = []
    }

    func clear() { notifications = [] }

    var names: [String] { notifications.map(\.name).map(Self.shortName) }

    func last(_ name: Notification.Name) -> Notification? {
        notifications.last { $0.name == name }
    }

    func count(_ name: Notification.Name) -> Int { notifications.count { $0.name == name } }

    private static func shortName(_ name: Notification.Name) -> String {
        switch name {
        case .NSManagedObjectContextWillSave: "willSave"
        case .NSManagedObjectContextObjectsDidChange: "didChange"
        case .NSManagedObjectContextDidSave: "didSave"
        case .NSManagedObjectContextDidSaveObjectIDs: "didSaveIDs"
        default: "didMerge"
        }
    }
}

extension Notification {
    func objects(_ key: String) -> Set<NSManagedObject> {
        userInfo?[key] as? Set<NSManagedObject> ?? []
    }
    func ids(_ key: String) -> Set<NSManagedObjectID> {
        userInfo?[key] as? Set<NSManagedObjectID> ?? []
    }
}

/// The did-save notification of a body's save.
func didSave(
    of context: NSManagedObjectContext,
    _ body: (NSManagedObjectContext) throws -> Void
) throws -> Notification {
    try context.onQueue {
        let log = NotificationLog(context)
        try body(context)
        try context.save()
        log.stop()
        return try #require(log.last(.NSManagedObjectContextDidSave))
    }
}

extension NSPersistentStoreCoordinator {
    /// A context with a queue of its own.
    func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return context
    }
}
