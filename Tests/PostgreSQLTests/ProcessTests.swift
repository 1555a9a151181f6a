#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// Programs as clients write them: containers in processes of their own, and a main context that
/// follows.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct ProcessTests {
    private static func container(
        _ url: URL,
        _ schema: String,
        replicas: URL
    ) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(
            name: "Sample",
            managedObjectModel: SampleModel.make()
        )
        let description = NSPersistentStoreDescription(url: url)
        description.type = NSPersistentStore.StoreType.postgreSQL.rawValue
        description.setOption(schema as NSString, forKey: PostgreSQLSchemaOption)
        description.setOption(replicas as NSURL, forKey: PostgreSQLReplicaFolderOption)
        description.setOption(
            true as NSNumber,
            forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
        )
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private static func labels(_ container: NSPersistentContainer) throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            return try context.fetch(request).compactMap { $0.value(forKey: "label") as? String }
                .sorted()
        }
    }

    private static func insert(_ label: String, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                .setValue(label, forKey: "label")
            try context.save()
        }
    }

    @Test func twoProcessesReadEachOthersSaves() async throws {
        let database = try SharedDatabase()
        let text = database.url.absoluteString, schema = database.schema
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("MergeStackTests-\(UUID().uuidString)")
        let place = folder.path
        let container = try Self.container(database.url, schema, replicas: folder)
        try Self.insert("parent", container)
        let answer = Task {
            try await eventually("the child's save") {
                (try? Self.labels(container)) == ["child", "parent"]
            }
            try Self.insert("answer", container)
        }
        await #expect(processExitsWith: .success) {
            [text = text as String, schema = schema as String, place = place as String] in
            let other = try Self.container(
                try #require(URL(string: text)),
                schema,
                replicas: URL(fileURLWithPath: place)
            )
            #expect(try Self.labels(other) == ["parent"])
            try Self.insert("child", other)
            // Until the parent has answered.
            try await eventually("the parent's answer") {
                (try? Self.labels(other)) == ["answer", "child", "parent"]
            }
        }
        try await answer.value
        #expect(try Self.labels(container) == ["answer", "child", "parent"])
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
        try FileManager.default.removeItem(at: folder)
    }
}
#endif
