import CoreData
import TestSupport
import Testing

/// Identifiers of a store that says itself which of its rows is which.
@Suite struct StoreIdentifierTests {
    private func coordinator(
        of service: Service
    ) throws -> (NSPersistentStoreCoordinator, ServiceStore) {
        ServiceStore.register()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: ServiceStore.storeType,
            configurationName: nil,
            at: URL(string: "https://example.org/service"),
            options: [ServiceStore.serviceOption: service]
        )
        return (coordinator, try #require(store as? ServiceStore))
    }

    private func sorted(
        _ context: NSManagedObjectContext,
        _ key: String = "label"
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request)
    }

    /// Each coordinator numbers the rows in the order in which it meets them.
    @Test func identifiersAreEqualByWhatTheStoreSays() throws {
        let service = Service()
        let (first, _) = try coordinator(of: service), (second, _) = try coordinator(of: service)
        let one = first.makeContext(), other = second.makeContext()
        let ids = try one.onQueue {
            for label in ["c", "a", "b"] { one.make("Tag", ["label": label]) }
            try one.save()
            return try sorted(one).map(\.objectID)
        }
        try other.onQueue {
            let tags = try sorted(other)
            #expect(tags.map { $0.text("label") } == ["a", "b", "c"])
            for (index, tag) in tags.enumerated() {
                #expect(ids.map { $0 == tag.objectID } == ids.indices.map { $0 == index })
                #expect(ids.map { tag.objectID == $0 } == ids.indices.map { $0 == index })
            }
            #expect(ids.map { other.object(with: $0) } == tags)
            other.reset()
            #expect(ids.map { other.object(with: $0).text("label") } == ["a", "b", "c"])
        }
    }

    @Test func aChildOfAContextOverTheStoreFetchesFaults() throws {
        let service = Service()
        let (coordinator, _) = try coordinator(of: service)
        let parent = coordinator.makeContext()
        try parent.onQueue {
            for label in ["a", "b"] { parent.make("Tag", ["label": label]) }
            try parent.save()
            parent.reset()
        }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try child.onQueue {
            let tags = try sorted(child)
            #expect(tags.map { $0.text("label") } == ["a", "b"])
            tags[0].setValue("c", forKey: "label")
            try child.save()
        }
        try parent.onQueue { try parent.save() }
        #expect(service.all(["Tag"]).map { $0.record.values["label"] as? String } == ["c", "b"])
    }

    /// The store hears of the rows that contexts show, and a new object is no row.
    @Test func objectsThatWereNeverSavedAreNotTakenBack() throws {
        let service = Service()
        let (coordinator, store) = try coordinator(of: service)
        let context = coordinator.makeContext()
        try context.onQueue {
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            let before = store.registeredCount
            let new = context.make("Tag", ["label": "b"])
            context.delete(new)
            context.processPendingChanges()
            context.rollback()
            #expect(store.registeredCount == before)
            withExtendedLifetime((tag, new)) {}
        }
    }

    @Test func fetchesShowWhatIsNotSavedBesideWhatTheStoreHas() throws {
        let service = Service()
        let (coordinator, _) = try coordinator(of: service)
        let context = coordinator.makeContext()
        try context.onQueue {
            let saved = context.make("Tag", ["label": "b"])
            try context.save()
            context.refresh(saved, mergeChanges: false)
            let new = context.make("Tag", ["label": "a"])
            #expect(try sorted(context) == [new, saved])
            context.delete(saved)
            #expect(try sorted(context) == [new])
        }
    }
}
