#if PostgreSQL
import CoreData
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CoreData

/// The main queue never uses the network itself.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct MainQueueTests {
    @MainActor @Test func openingSavingAndFollowingOnMainLeaveTheNetworkToOthers() throws {
        let database = try SharedDatabase()
        let machine = try database.machine("one")
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = machine.coordinator
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            .setValue("a", forKey: "label")
        try context.save()
        try machine.catchUp()
        let tag = try context.first("Tag", by: "label")
        tag.setValue("b", forKey: "label")
        try context.save()
        #expect(try machine.values("Tag", "label") == ["b"])
        #expect(PostgreSQLConnection.mainQueueWaits.load(ordering: .relaxed) == 0)
    }
}
#endif
