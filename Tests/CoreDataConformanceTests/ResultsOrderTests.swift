import CoreData
import TestSupport
import Testing

/// The order of a results controller's list while saves of others wait to be merged.
@Suite struct ResultsOrderTests {
    @Test(arguments: StoreKind.allCases)
    func savesThatWaitToBeMergedDontMisplaceOthers(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            writer.performAndWait {
                for name in ["a", "b", "c", "d", "e", "f", "g"] {
                    writer.make("Person", ["name": name])
                }
            }
            try writer.performAndWait { try writer.save() }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request,
                managedObjectContext: reader,
                sectionNameKeyPath: nil,
                cacheName: nil
            )
            let mirror = ListMirror()
            try reader.performAndWait {
                controller.delegate = mirror
                try controller.performFetch()
                mirror.start(controller)
            }
            // The second save moves d away from the middle, where a search for e5 begins.
            let saves = try [("g", "e5"), ("d", "z")].map { try rename($0, to: $1, in: writer) }
            reader.performAndWait {
                for save in saves { reader.mergeChanges(fromContextDidSave: save) }
                let names = controller.fetchedObjects?.map { $0.value(forKey: "name") as? String }
                #expect(names == ["a", "b", "c", "e", "e5", "f", "z"])
            }
            withExtendedLifetime(mirror) {}
        }
    }

    /// Renames a person, saves, and gives the notification of it.
    private func rename(
        _ name: String,
        to other: String,
        in context: NSManagedObjectContext
    ) throws -> Notification {
        nonisolated(unsafe) var posted: Notification?
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave,
            object: context,
            queue: nil
        ) { posted = $0 }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.performAndWait {
            let predicate = NSPredicate(format: "name == %@", name)
            try #require(context.all("Person", where: predicate).first)
                .setValue(other, forKey: "name")
            try context.save()
        }
        return try #require(posted)
    }
}
