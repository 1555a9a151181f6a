import CoreData
import Foundation
import TestSupport
import Testing

@testable import MergeStack

/// What a stack does with a store of another model.
@Suite struct StackMigrationTests {
    /// An earlier model whose mapping can be inferred needs nothing of the caller.
    @Test(arguments: Topology.allCases)
    func aStoreOfAnEarlierModelIsMigrated(_ topology: Topology) async throws {
        let folder = try ItemFolder()
        let stores = [folder.description(.sqlite)]
        let first = try topology.make(model: ItemStack.makeModel(), stores: stores)
        try await first.performBackground { _ = ItemStack.insert("a", into: $0) }
        try await MainActor.run { try first.tearDown() }
        let later = ItemStack.makeModel()
        let note = NSAttributeDescription()
        note.name = "note"
        note.attributeType = .stringAttributeType
        later.entities.first?.properties.append(note)
        // Without the option too: it is on by default in every stack.
        stores[0].setOption(nil, forKey: NSMigratePersistentStoresAutomaticallyOption)
        let second = try topology.make(model: later, stores: stores)
        try await second.performBackground { try $0.item("a").setValue("b", forKey: "note") }
        try await MainActor.run { try second.tearDown() }
        #expect(try folder.itemsOnDisk() == ["a|0"])
        if SQLiteShell.isThere {
            #expect(try SQLiteShell.rows(folder.storeURL, "SELECT ZNOTE FROM ZITEM") == ["b"])
        }
    }

    /// A store of another model, from which nothing can be inferred: it says what to do, and the
    /// store is as it was.
    @Test(arguments: Topology.allCases)
    func aStoreThatCanNotBeMigratedIsRefusedClearly(_ topology: Topology) async throws {
        let folder = try ItemFolder()
        let stores = [folder.description(.sqlite)]
        let first = try topology.make(model: ItemStack.makeModel(), stores: stores)
        try await first.performBackground { _ = ItemStack.insert("a", into: $0) }
        try await MainActor.run { try first.tearDown() }
        let other = ItemStack.makeModel()
        let number = try #require(other.entities.first?.attributesByName["number"])
        number.attributeType = .UUIDAttributeType
        number.defaultValue = nil
        let error = #expect(throws: MergeStackError.self) {
            _ = try topology.make(model: other, stores: stores)
        }
        #expect(error?.code == .noMapping)
        #expect(error?.message.contains("mapping model") == true)
        #expect((error?.underlyingError as? NSError)?.domain == NSCocoaErrorDomain)
        #expect(try folder.itemsOnDisk() == ["a|0"])
    }

    @Test func withoutMigrationCoreDatasErrorComesThrough() throws {
        let folder = try ItemFolder()
        let store = folder.description(.sqlite)
        let stack = try SingleContextStack(model: ItemStack.makeModel(), stores: [store])
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        store.shouldMigrateStoreAutomatically = false
        let other = ItemStack.makeModel()
        other.entities.first?.name = "Other"
        let error = #expect(throws: NSError.self) {
            _ = try SingleContextStack(model: other, stores: [store])
        }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }
}
