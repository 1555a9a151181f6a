import CoreData
import MergeStack
import TestSupport

/// A stack of a topology over a new store of items.
package struct TopologyFixture: Sendable {
    package let stack: any ContextStack
    package let folder: ItemFolder
    package let kind: StoreKind

    /// Runs a test and tears the stack down, when there is a place for it.
    package static func run(
        _ topology: Topology,
        _ kind: StoreKind = .sqlite,
        _ test: (TopologyFixture) async throws -> Void
    ) async throws {
        await FixturePlaces.shared.take()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await runInPlace(topology, kind, test))
        } catch {
            outcome = .failure(error)
        }
        await FixturePlaces.shared.giveBack()
        try outcome.get()
    }

    private static func runInPlace(
        _ topology: Topology,
        _ kind: StoreKind,
        _ test: (TopologyFixture) async throws -> Void
    ) async throws {
        let folder = try ItemFolder()
        let stores = [folder.description(kind)]
        let stack = try topology.make(model: ItemStack.makeModel(), stores: stores)
        try await test(TopologyFixture(stack: stack, folder: folder, kind: kind))
        try await MainActor.run { try stack.tearDown() }
    }

    /// What is in the store, seen past the stack's contexts.
    package func saved() throws -> [String] {
        kind == .sqlite ? try folder.itemsOnDisk() : try stack.coordinator.items()
    }

    /// What the main context shows.
    package func shown() async throws -> [String] {
        try await onMain { try $0.items() }
    }

    /// Does something in the main context.
    package func onMain<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let main = stack.mainContext
        return try await main.performing { try body(main) }
    }

    /// Inserts items in the background.
    package func insert(_ names: String...) async throws {
        try await stack.performBackground { context in
            for name in names { ItemStack.insert(name, into: context) }
        }
    }
}
