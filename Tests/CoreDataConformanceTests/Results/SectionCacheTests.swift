import CoreData
import TestSupport
import Testing

/// Counts how often a section's name is asked for.
final class SectionTown: NSManagedObject {
    nonisolated(unsafe) static var questions = 0
    override func value(forKey key: String) -> Any? {
        if key == "country" { Self.questions += 1 }
        return super.value(forKey: key)
    }
}

@Suite(.serialized) struct SectionCacheTests {
    private let cacheName = "towns \(UUID().uuidString)"

    private func model() -> NSManagedObjectModel {
        let town = NSEntityDescription()
        town.name = "Town"
        town.managedObjectClassName = NSStringFromClass(SectionTown.self)
        town.properties = ["country", "name"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [town]
        return model
    }

    private func sections(
        _ context: NSManagedObjectContext,
        _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> (names: [String], questions: Int) {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Town")
        request.sortDescriptors = [
            NSSortDescriptor(key: "country", ascending: true),
            NSSortDescriptor(key: "name", ascending: true),
        ]
        request.fetchBatchSize = 2
        change(request)
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: "country",
            cacheName: cacheName
        )
        SectionTown.questions = 0
        try controller.performFetch()
        let names = (controller.sections ?? []).map { "\($0.name) \($0.numberOfObjects)" }
        return (names, SectionTown.questions)
    }

    private func fill(_ context: NSManagedObjectContext) throws {
        for (country, name) in [("A", "x"), ("B", "y"), ("A", "z")] {
            context.make("Town", ["country": country, "name": name])
        }
        try context.save()
        context.reset()
    }

    @Test func sectionsAreKeptUntilTheStoreOrTheRequestChanges() throws {
        try withStack(.sqlite, model: model()) { stack in
            defer { NSFetchedResultsController<NSManagedObject>.deleteCache(withName: cacheName) }
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                try fill(context)
                #expect(try sections(context).questions == 3)
                let cached = try sections(context)
                #expect(cached.names == ["A 2", "B 1"] && cached.questions == 0)
                // Another request.
                let fewer = try sections(context) {
                    $0.predicate = NSPredicate(format: "name > 'x'")
                }
                #expect(fewer.names == ["A 1", "B 1"] && fewer.questions == 2)
                // Changes that are not saved, and saved by another context.
                _ = try sections(context)
                let town = context.make("Town", ["country": "C", "name": "w"])
                #expect(try sections(context).names == ["A 2", "B 1", "C 1"])
                context.delete(town)
                context.processPendingChanges()
                try other.onQueue {
                    try other.all("Town", sortedBy: "name")[0].setValue("B", forKey: "country")
                    try other.save()
                }
                context.reset()
                #expect(try sections(context).names == ["A 1", "B 2"])
                #expect(try sections(context).questions == 0)
                NSFetchedResultsController<NSManagedObject>.deleteCache(withName: cacheName)
                #expect(try sections(context).questions == 3)
            }
        }
    }

    @Test func anotherProgramsChangeIsSeen() throws {
        try withStack(.sqlite, model: model()) { stack in
            defer { NSFetchedResultsController<NSManagedObject>.deleteCache(withName: cacheName) }
            let context = stack.makeContext()
            try context.onQueue {
                try fill(context)
                _ = try sections(context)
                try SQLiteShell.run(stack.url, "UPDATE ZTOWN SET ZCOUNTRY = 'D'")
                context.reset()
                #expect(try sections(context).names == ["D 3"])
            }
        }
    }

    @Test func aStoreInMemoryHasNoCache() throws {
        try withContext(.inMemory, model: model()) { context in
            try fill(context)
            _ = try sections(context)
            #expect(try sections(context).questions == 3)
        }
    }
}
