import CoreData
import Foundation
import LegacyFinders
import MergeStack
import StackSupport
import TestSupport
import Testing

/// A class of objects for one entity.
final class FoundItem: NSManagedObject {}
/// A class that no entity names.
private final class UnknownItem: NSManagedObject {}

/// Finding, counting, making and deleting in a line.
@Suite struct FindingTests {
    private func withContext(
        _ topology: Topology,
        _ test: @Sendable @escaping (NSManagedObjectContext) throws -> Void
    ) async throws {
        let folder = try ItemFolder()
        let stack = try topology.make(
            model: ItemStack.makeModel(FoundItem.self),
            stores: [folder.description(.sqlite)]
        )
        try await stack.performBackground { context in
            for number in 1...5 { ItemStack.insert("n\(number)", number, into: context) }
        }
        try await stack.performBackground(saves: false, test)
        try await MainActor.run { try stack.tearDown() }
    }

    @Test(arguments: Topology.allCases)
    func objectsAreFoundByClassAndByName(_ topology: Topology) async throws {
        try await withContext(topology) { context throws in
            let descending = [NSSortDescriptor(key: "number", ascending: false)]
            let few = NSPredicate(format: "number < 3")
            let last = try context.findFirst(FoundItem.self, sortedBy: descending)
            #expect(last?.value(forKey: "name") as? String == "n5")
            let first = try context.findFirst(
                NSManagedObject.self,
                entity: "Item",
                where: few,
                sortedBy: descending
            )
            #expect(first?.value(forKey: "name") as? String == "n2")
            let found = try context.findAll(FoundItem.self, where: few, sortedBy: descending)
            #expect(found.map { $0.value(forKey: "number") as? Int } == [2, 1])
            #expect(try context.countAll(FoundItem.self) == 5)
            #expect(try context.countAll(FoundItem.self, where: few) == 2)
            let none = NSPredicate(format: "number > 100")
            #expect(try context.findFirst(FoundItem.self, where: none) == nil)
            #expect(try context.findAll(FoundItem.self, where: none) == [])
        }
    }

    @Test(arguments: Topology.allCases)
    func objectsAreCreatedAndDeleted(_ topology: Topology) async throws {
        try await withContext(topology) { context throws in
            let made = try context.create(FoundItem.self)
            #expect(made.isInserted && made.entity.name == "Item")
            #expect(try context.countAll(FoundItem.self) == 6)
            let few = NSPredicate(format: "number IN {1, 2}")
            #expect(try context.deleteAll(FoundItem.self, where: few) == 2)
            #expect(try context.countAll(FoundItem.self) == 4)
            #expect(try context.truncate(FoundItem.self) == 4)
            #expect(try context.countAll(FoundItem.self) == 0)
            #expect(try context.truncate(FoundItem.self) == 0)
        }
    }

    @Test func mistakesAreTold() async throws {
        try await withContext(.notificationMerge) { context throws in
            func code(_ body: () throws -> Void) -> MergeStackError.Code? {
                #expect(throws: MergeStackError.self, performing: body)?.code
            }
            #expect(code { _ = try context.findAll(UnknownItem.self) } == .wrongEntity)
            #expect(code { _ = try context.findAll(FoundItem.self, entity: "No") } == .wrongEntity)
            #expect(
                code { _ = try context.findAll(UnknownItem.self, entity: "Item") } == .wrongEntity
            )
            #expect(
                code { _ = try context.create(UnknownItem.self, entity: "Item") } == .wrongEntity
            )
            context.processPendingChanges()
            #expect(!context.hasChanges)
        }
    }

    @Test func abstractEntitiesHaveNoObjects() throws {
        let model = ItemStack.makeModel(FoundItem.self)
        model.entities.first?.isAbstract = true
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        let error = #expect(throws: MergeStackError.self) {
            try context.inside { _ = try context.create(FoundItem.self) }
        }
        #expect(error?.code == .wrongEntity)
    }
}
