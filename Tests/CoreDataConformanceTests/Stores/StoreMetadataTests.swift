import CoreData
import TestSupport
import Testing

/// Metadata that clients set: the next save writes it, whatever else it has to write.
@Suite struct StoreMetadataTests {
    private func note(_ url: URL, _ kind: StoreKind) throws -> String? {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: url)[
            "note"
        ]
            as? String
    }

    private func set(_ text: String, _ store: NSPersistentStore) {
        var metadata: [String: Any] = store.metadata
        metadata["note"] = text
        store.persistentStoreCoordinator?.setMetadata(metadata, for: store)
    }

    @Test(arguments: [StoreKind.sqlite, .binary, .xml])
    func aSaveWithoutOtherChangesWritesIt(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let store = try #require(stack.coordinator.persistentStores.first)
            let context = stack.makeContext()
            for text in ["first", "second"] {
                set(text, store)
                #expect(try note(stack.url, kind) != text)
                try context.onQueue { try context.save() }
                #expect(try note(stack.url, kind) == text)
            }
        }
    }

    @Test func aSaveOfOneStoreWritesThatOfAllStores() throws {
        try withTemporaryFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            let urls = ["A", "B"].map { folder.appendingPathComponent("\($0).sqlite") }
            let stores = try urls.map {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType,
                    configurationName: nil,
                    at: $0
                )
            }
            for store in stores { set("new", store) }
            let context = coordinator.makeContext()
            try context.onQueue {
                context.make("Tag")
                try context.save()
            }
            for url in urls { #expect(try note(url, .sqlite) == "new") }
            for store in stores { try coordinator.remove(store) }
        }
    }

    @Test func aChildsSaveWritesNothingYet() throws {
        try withStack(.sqlite) { stack in
            let store = try #require(stack.coordinator.persistentStores.first)
            let context = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            set("new", store)
            try child.onQueue { try child.save() }
            #expect(try note(stack.url, .sqlite) == nil)
            try context.onQueue { try context.save() }
            #expect(try note(stack.url, .sqlite) == "new")
        }
    }

    /// The next save writes what one that failed could not.
    @Test(arguments: [StoreKind.sqlite, .binary, .xml])
    func aSaveThatFailsLeavesItToTheNext(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let store = try #require(stack.coordinator.persistentStores.first)
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                try context.save()
                try other.onQueue {
                    try other.only("Tag").setValue("b", forKey: "label")
                    try other.save()
                }
                tag.setValue("c", forKey: "label")
                set("new", store)
                #expect(errorCode(context.save) == NSManagedObjectMergeError)
                #expect(try note(stack.url, kind) == nil)
                context.refresh(tag, mergeChanges: false)
                try context.save()
                #expect(try note(stack.url, kind) == "new")
            }
        }
    }
}
