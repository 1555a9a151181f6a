import CSQLite
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Values that SQLite does not take: the save throws, and nothing else is written in their place.
@Suite struct RefusedValueTests {
    /// Lowers the size of values that the store's connections take, from a billion bytes.
    private func limit(_ store: SQLiteStore, to byteCount: Int32) throws {
        try store.opened().withWriter {
            _ = sqlite3_limit($0.connection.handle, SQLITE_LIMIT_LENGTH, byteCount)
        }
    }

    private func withStack(
        _ body: (NSManagedObjectContext, SQLiteStore) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreModel.make())
        let store = try coordinator.addPersistentStore(
            type: .sqlite,
            at: URL(fileURLWithPath: "/dev/null")
        )
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let sqlite = try #require(store as? SQLiteStore)
        try context.onQueue { try body(context, sqlite) }
    }

    private static let large = 300_000
    static let values: [(key: String, value: any Sendable)] = [
        ("photo", Data(repeating: 7, count: large)),
        ("name", String(repeating: "n", count: large)),
    ]

    /// Connections keep statements: one that has failed must take the next values.
    @Test func aStatementThatHasFailedRunsWithOtherValues() throws {
        let connection = try SQLiteConnection(ConnectionSettings(path: ":memory:"))
        try connection.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
        let sql = "INSERT INTO t VALUES (?) RETURNING a"
        let first = try connection.statement(sql)
        first.bind(1, Int64(1))
        #expect(throws: SQLiteError.self) { try first.step() }
        let second = try connection.statement(sql)
        defer { second.reset() }
        second.bind(1, Int64(2))
        let isThere = try second.step()
        #expect(isThere)
        #expect(second.integer(0) == 2)
    }

    @Test(arguments: values.indices)
    func aNewObjectWithAValueThatIsTooLargeIsNotSaved(_ index: Int) throws {
        let (key, value) = Self.values[index]
        try withStack { context, store in
            try limit(store, to: 100_000)
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue(value, forKey: key)
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("limit") == true)
            #expect(context.hasChanges && person.isInserted)
            try limit(store, to: 1_000_000_000)
            try context.save()
            context.reset()
            let saved = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            #expect(saved.first?.value(forKey: key) as? NSObject == value as? NSObject)
            #expect(saved.count == 1)
        }
    }

    @Test(arguments: values.indices)
    func anObjectKeepsItsValueWhereTheNewOneIsTooLarge(_ index: Int) throws {
        let (key, value) = Self.values[index]
        try withStack { context, store in
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            let old: Any = key == "photo" ? Data([1, 2]) : "old"
            person.setValue(old, forKey: key)
            try context.save()
            try limit(store, to: 100_000)
            person.setValue(value, forKey: key)
            #expect(throws: CocoaError.self) { try context.save() }
            #expect(person.isUpdated)
            context.reset()
            let saved = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            #expect(saved.first?.value(forKey: key) as? NSObject == old as? NSObject)
        }
    }

    @Test func aBatchWithAValueThatIsTooLargeChangesNothing() throws {
        try withStack { context, store in
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue("old", forKey: "name")
            try context.save()
            try limit(store, to: 100_000)
            let batch = NSBatchUpdateRequest(entityName: "Person")
            batch.propertiesToUpdate = ["name": String(repeating: "n", count: Self.large)]
            #expect(throws: CocoaError.self) { try context.execute(batch) }
            context.reset()
            let saved = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
            #expect(saved.first?.value(forKey: "name") as? String == "old")
        }
    }
}
