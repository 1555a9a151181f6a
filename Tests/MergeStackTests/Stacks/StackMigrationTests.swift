import CoreData
import Foundation
import StackSupport
import TestSupport
import Testing
import Threads

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

    // MARK: Entities that go

    private func stranger() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Stranger"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    /// Of quite another model everything would go.
    @Test(arguments: Topology.allCases)
    func aStoreOfAnotherModelIsRefusedAndStays(_ topology: Topology) async throws {
        let folder = try ItemFolder()
        let stores = [folder.description(.sqlite)]
        let first = try topology.make(model: ItemStack.makeModel(), stores: stores)
        try await first.performBackground { _ = ItemStack.insert("a", into: $0) }
        try await MainActor.run { try first.tearDown() }
        let error = #expect(throws: MergeStackError.self) {
            _ = try topology.make(model: stranger(), stores: stores)
        }
        #expect(error?.code == .entitiesDropped)
        #expect(error?.message.contains("Item (1 objects)") == true, "\(error?.message ?? "")")
        #expect(try folder.itemsOnDisk() == ["a|0"])
        stores[0].allowsDroppingEntities = true
        #expect(stores[0].allowsDroppingEntities)
        let second = try topology.make(model: stranger(), stores: stores)
        #expect(second.coordinator.persistentStores.count == 1)
        try await MainActor.run { try second.tearDown() }
    }

    @Test func anEntityWithoutObjectsMayGo() async throws {
        let folder = try ItemFolder()
        let stores = [folder.description(.sqlite)]
        func model(_ names: [String]) -> NSManagedObjectModel {
            let model = ItemStack.makeModel()
            for name in names {
                let entity = NSEntityDescription()
                entity.name = name
                model.entities.append(entity)
            }
            return model
        }
        let first = try SingleContextStack(model: model(["Empty", "Full"]), stores: stores)
        try await first.performBackground { context in
            _ = ItemStack.insert("a", into: context)
            _ = NSEntityDescription.insertNewObject(forEntityName: "Full", into: context)
        }
        try await MainActor.run { try first.tearDown() }
        let renamed = model(["Whole"])
        renamed.entitiesByName["Whole"]?.renamingIdentifier = "Full"
        let second = try SingleContextStack(model: renamed, stores: stores)
        try await MainActor.run { try second.tearDown() }
        let error = #expect(throws: MergeStackError.self) {
            _ = try SingleContextStack(model: model([]), stores: stores)
        }
        #expect(error?.code == .entitiesDropped)
        #expect(error?.message.contains("would drop Whole (1 objects) without") == true)
    }

    /// `CoreData` itself infers from a missing entity that its objects are to go.
    @Test func theContainerKeepsCoreDatasBehaviour() async throws {
        let folder = try ItemFolder()
        let stores = [folder.description(.sqlite)]
        let first = try SingleContextStack(model: ItemStack.makeModel(), stores: stores)
        try await first.performBackground { _ = ItemStack.insert("a", into: $0) }
        try await MainActor.run { try first.tearDown() }
        let container = NSPersistentContainer(name: "Items", managedObjectModel: stranger())
        container.persistentStoreDescriptions = stores
        let errors = Guarded<[String]>([])
        container.loadPersistentStores { _, error in
            if let error { errors.withLock { $0.append("\(error)") } }
        }
        #expect(errors.withLock { $0 } == [])
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
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
