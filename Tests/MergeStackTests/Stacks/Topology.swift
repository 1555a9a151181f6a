import CoreData
import Foundation
import TestSupport
import Testing

@testable import MergeStack

/// The stacks that one suite runs over.
enum Topology: String, CaseIterable, Sendable, CustomStringConvertible {
    case singleContext, notificationMerge, parentChild, privateWriter, perThread

    var description: String { rawValue }

    private var type: any ContextStack.Type {
        switch self {
        case .singleContext: SingleContextStack.self
        case .notificationMerge: NotificationMergeStack.self
        case .parentChild: ParentChildStack.self
        case .privateWriter: PrivateWriterStack.self
        case .perThread: PerThreadStack.self
        }
    }

    func make(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription]
    ) throws -> any ContextStack {
        try type.init(model: model, stores: stores)
    }

    func make(coordinator: NSPersistentStoreCoordinator) -> any ContextStack {
        type.init(coordinator: coordinator)
    }
}

/// A folder for a store of items and what else a test writes, removed with it.
final class ItemFolder: Sendable {
    let url: URL
    var storeURL: URL { url.appendingPathComponent("items.sqlite") }

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackTests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record(error)
        }
    }

    func description(_ kind: StoreKind) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: storeURL)
        description.type = kind.type
        return description
    }

    /// The items in the store's file as others see it: `name|number`, sorted.
    func itemsOnDisk() throws -> [String] {
        if SQLiteShell.isThere {
            return try SQLiteShell.rows(storeURL, "SELECT ZNAME, ZNUMBER FROM ZITEM").sorted()
        }
        let stack = try SingleContextStack(
            model: ItemStack.makeModel(),
            stores: [description(.sqlite)]
        )
        return try stack.coordinator.items()
    }
}

extension NSPersistentStoreCoordinator {
    /// The items in the stores: `name|number`, sorted.
    func items() throws -> [String] {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return try context.performAndWait { try context.items() }
    }
}

extension NSManagedObjectContext {
    /// The items that the context shows: `name|number`, sorted.
    func items() throws -> [String] {
        try findAll(NSManagedObject.self, entity: "Item").map { item in
            let number = (item.value(forKey: "number") as? NSNumber)?.int64Value ?? -1
            return "\(item.value(forKey: "name") as? String ?? "")|\(number)"
        }
        .sorted()
    }

    /// The item of a name.
    func item(_ name: String) throws -> NSManagedObject {
        let predicate = NSPredicate(format: "name == %@", name)
        let found = try findFirst(NSManagedObject.self, entity: "Item", where: predicate)
        return try #require(found)
    }
}

/// A stack of a topology over a new store of items.
struct TopologyFixture: Sendable {
    let stack: any ContextStack
    let folder: ItemFolder
    let kind: StoreKind

    /// Runs a test and tears the stack down.
    static func run(
        _ topology: Topology,
        _ kind: StoreKind = .sqlite,
        _ test: (TopologyFixture) async throws -> Void
    ) async throws {
        let folder = try ItemFolder()
        let stores = [folder.description(kind)]
        let stack = try topology.make(model: ItemStack.makeModel(), stores: stores)
        try await test(TopologyFixture(stack: stack, folder: folder, kind: kind))
        try await MainActor.run { try stack.tearDown() }
    }

    /// What is in the store, seen past the stack's contexts.
    func saved() throws -> [String] {
        kind == .sqlite ? try folder.itemsOnDisk() : try stack.coordinator.items()
    }

    /// What the main context shows.
    func shown() async throws -> [String] {
        try await onMain { try $0.items() }
    }

    /// Does something in the main context.
    func onMain<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let main = stack.mainContext
        return try await main.perform { try body(main) }
    }

    /// Inserts items in the background.
    func insert(_ names: String...) async throws {
        try await stack.performBackground { context in
            for name in names { ItemStack.insert(name, into: context) }
        }
    }
}
