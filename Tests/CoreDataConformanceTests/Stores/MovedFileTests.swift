import CoreData
import TestSupport
import Testing

/// Stores whose files are moved, removed or replaced behind Core Data's back, and links to stores.
@Suite struct MovedFileTests {
    enum Change: CaseIterable, Sendable {
        case removed, moved, replaced
        /// Commits would go to a file without a name.
        case logRemoved
    }

    @Test(arguments: Change.allCases)
    func aSaveToAFileThatIsNotThereAnyMoreFails(change: Change) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let other = folder.appendingPathComponent("Other.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url
            )
            let context = coordinator.makeContext()
            try context.onQueue {
                context.make("Tag", ["label": "a"])
                try context.save()
            }
            switch change {
            case .removed: try FileManager.default.removeItem(at: url)
            case .moved: try FileManager.default.moveItem(at: url, to: other)
            case .replaced:
                let maker = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
                try maker.remove(
                    maker.addPersistentStore(
                        ofType: NSSQLiteStoreType,
                        configurationName: nil,
                        at: other
                    )
                )
                try FileManager.default.removeItem(at: url)
                try FileManager.default.moveItem(at: other, to: url)
            case .logRemoved: try FileManager.default.removeItem(atPath: url.path + "-wal")
            }
            context.performAndWait {
                let tag = context.make("Tag", ["label": "b"])
                for _ in 0..<2 {
                    #expect(errorCode { try context.save() } == NSPersistentStoreSaveError)
                    #expect(tag.isInserted && context.hasChanges)
                }
                let batch = NSBatchUpdateRequest(entityName: "Tag")
                batch.propertiesToUpdate = ["label": "c"]
                #expect(errorCode { try context.execute(batch) } == NSPersistentStoreSaveError)
            }
            try coordinator.remove(store)
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: url
            )
            let again = coordinator.makeContext()
            try again.onQueue {
                again.make("Tag", ["label": "b"])
                try again.save()
                let count = try again.number("Tag")
                // Without its log the file still gets what was saved before, when it is closed.
                #expect(count == (change == .logRemoved ? 2 : 1))
            }
        }
    }

    @Test func aLinkAndTheFileItLeadsToAreOneStore() throws {
        try withTemporaryFolder { folder in
            let model = SampleModel.make()
            let photo = try #require(model.entitiesByName["Person"]?.attributesByName["photo"])
            photo.allowsExternalBinaryDataStorage = true
            let places = folder.appendingPathComponent("places", isDirectory: true)
            try FileManager.default.createDirectory(at: places, withIntermediateDirectories: true)
            let file = places.appendingPathComponent("Real.sqlite")
            let link = folder.appendingPathComponent("Link.sqlite")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            let bytes = Data(repeating: 5, count: 400_000)
            // The file is made through the link, and then used by both names.
            for (number, url) in [link, file, link].enumerated() {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: url
                )
                #expect(store.url == url)
                let context = coordinator.makeContext()
                try context.onQueue {
                    context.make("Person", ["name": "n", "photo": bytes])
                    try context.save()
                    context.reset()
                    let people = try context.all("Person")
                    let photos = people.map { $0.value(forKey: "photo") as? Data }
                    #expect(photos == Array(repeating: bytes, count: number + 1))
                }
                let other = url == link ? file : link
                #expect(coordinator.persistentStore(for: other) === store)
                #expect(throws: CocoaError.self) {
                    try coordinator.addPersistentStore(
                        ofType: NSSQLiteStoreType,
                        configurationName: nil,
                        at: other
                    )
                }
                try coordinator.remove(store)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: places.path).sorted()
            #expect(names == [".Real_SUPPORT", "Real.sqlite"])
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(left == ["Link.sqlite", "places"])
        }
    }
}
