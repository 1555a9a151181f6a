import CoreData
import XCTest

/// Code of the years in which stores were kept in iCloud: it builds, and its stores are local.
class CloudStoreTests: XCTestCase {
    func testAStoreThatWasMeantForICloudIsALocalOne() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { XCTAssertNoThrow(try FileManager.default.removeItem(at: folder)) }
        let url = folder.appendingPathComponent("Cloud.sqlite")
        let entity = NSEntityDescription()
        entity.name = "Note"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let imports = expectation(
            forNotification: .NSPersistentStoreDidImportUbiquitousContentChanges,
            object: coordinator
        )
        imports.isInverted = true
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: url,
            options: [
                NSPersistentStoreUbiquitousContentNameKey: "Notes",
                NSPersistentStoreRebuildFromUbiquitousContentOption: false,
            ]
        )
        XCTAssertEqual(store.url, url)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        try context.save()
        wait(for: [imports], timeout: 0)
        try coordinator.remove(store)
        XCTAssertTrue(FileManager.default.fileExists(atPath: url.path))
    }
}
