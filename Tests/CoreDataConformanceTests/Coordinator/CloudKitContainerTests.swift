import CoreData
import Foundation
import TestSupport
import Testing

/// Code that chooses the container with CloudKit works with local stores where there is none.
#if !canImport(ObjectiveC)
@Suite struct CloudKitContainerTests {
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
    @Test func storesAreLocal() throws {
        try withTemporaryFolder { folder in
            let model = SampleModel.make()
            let container: NSPersistentContainer = NSPersistentCloudKitContainer(
                name: "Sample",
                managedObjectModel: model
            )
            let description = NSPersistentStoreDescription(
                url: folder.appendingPathComponent("Sample.sqlite")
            )
            description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
                containerIdentifier: "iCloud.org.example.sample"
            )
            container.persistentStoreDescriptions = [description]
            var failure: (any Error)?
            container.loadPersistentStores { _, error in failure = error }
            #expect(failure == nil)
            let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
            let mirrored = try #require(container as? NSPersistentCloudKitContainer)
            #expect(mirrored.canModifyManagedObjects(in: store))
            let context = container.newBackgroundContext()
            let id = try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                try context.save()
                return tag.objectID
            }
            for isReadOnly in [false, true] {
                store.isReadOnly = isReadOnly
                #expect(mirrored.canUpdateRecord(forManagedObjectWith: id) != isReadOnly)
                #expect(mirrored.canDeleteRecord(forManagedObjectWith: id) != isReadOnly)
            }
            store.isReadOnly = false
            #expect(
                NSPersistentCloudKitContainer.eventChangedNotification.rawValue
                    == "NSPersistentCloudKitContainerEventChangedNotification"
            )
            #expect(NSPersistentCloudKitContainer.eventNotificationUserInfoKey == "event")
            #expect(throws: CocoaError.self) { try mirrored.initializeCloudKitSchema() }
            let kept = container.persistentStoreDescriptions.first?.cloudKitContainerOptions
            #expect(kept?.containerIdentifier == "iCloud.org.example.sample")
        }
    }
}
#endif
