import CoreData
import Foundation

extension Scenario {
    /// Reads of all kinds: each gives what is there, or throws.
    static let reading: [Scenario] = [
        read("fetching-objects") { context in
            try context.all("Item").map(\.label)
        },
        read("fetching-prefetched") { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.relationshipKeyPathsForPrefetching = ["tags", "owner"]
            return try context.fetch(request).map(\.label)
        },
        read("fetching-across") { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(
                format: "owner.name == 'owner1' AND ANY tags.name IN {'tag1', 'tag2'} AND value > 3"
            )
            request.sortDescriptors = [
                NSSortDescriptor(key: "owner.name", ascending: true),
                NSSortDescriptor(key: "value", ascending: false),
            ]
            return try context.fetch(request).map(\.label)
        },
        read("fetching-identifiers") { context in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Item")
            request.resultType = .managedObjectIDResultType
            request.fetchLimit = 10
            return ["\(try context.fetch(request).count)"]
        },
        read("fetching-dictionaries") { context in
            let request = NSFetchRequest<NSDictionary>(entityName: "Item")
            request.resultType = .dictionaryResultType
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = NSExpression(
                forFunction: "sum:",
                arguments: [NSExpression(forKeyPath: "value")]
            )
            sum.expressionResultType = .integer64AttributeType
            request.propertiesToFetch = ["owner", sum]
            request.propertiesToGroupBy = ["owner"]
            return try context.fetch(request).map { "\($0["sum"] ?? "-")" }.sorted()
        },
        read("counting") { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "tags.@count == 2")
            return ["\(try context.count(for: request))"]
        },
        read("fetching-external-values") { context in
            try context.itemValues()
        },
        read("existing-objects") { context in
            guard let coordinator = context.persistentStoreCoordinator else { return [] }
            let uri = URL(string: "x-coredata://\(storeIdentifier(coordinator))/Item/p3")
            guard let id = uri.flatMap({ coordinator.managedObjectID(forURIRepresentation: $0) })
            else { return ["no ID"] }
            let item = try context.existingObject(with: id)
            return [item.label]
        },
        read("results-sections") { context in
            let controller = makeController(context, sections: "owner.name")
            try controller.performFetch()
            let names = controller.sections?.map { "\($0.name) \($0.numberOfObjects)" } ?? []
            // A second fetch by the same controller, as after a change of its request.
            controller.fetchRequest.predicate = NSPredicate(format: "value < 9")
            try controller.performFetch()
            return names + [(controller.fetchedObjects ?? []).map(\.label).joined()]
        },
        Scenario(
            name: "fetching-batches",
            template: { try Samples.filled(store(in: $0)) },
            begin: { BatchesAttempt(try Stack(store(in: $0))) }
        ),
    ]

    static func makeController(
        _ context: NSManagedObjectContext,
        sections: String?
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.sortDescriptors =
            (sections.map { [NSSortDescriptor(key: $0, ascending: true)] } ?? [])
            + [NSSortDescriptor(key: "name", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: sections,
            cacheName: nil
        )
    }

    private static func storeIdentifier(_ coordinator: NSPersistentStoreCoordinator) -> String {
        coordinator.persistentStores.first?.identifier ?? ""
    }

    /// A read by a new context, of a store that nobody has read anything of yet.
    private static func read(
        _ name: String,
        _ body: @escaping (NSManagedObjectContext) throws -> [String]
    ) -> Scenario {
        Scenario(
            name: name,
            template: { try Samples.filled(store(in: $0)) },
            begin: { folder in
                let expected = try expectation(folder, body)
                let stack = try Stack(store(in: folder))
                return StepAttempt(store(in: folder), finish: { try stack.close() }) {
                    let context = stack.makeContext()
                    let found = try context.inQueue { try body(context) }
                    return found == expected ? [] : ["it reads \(found.prefix(3)) and so on"]
                }
            }
        )
    }

    private static func expectation(
        _ folder: URL,
        _ body: (NSManagedObjectContext) throws -> [String]
    ) throws -> [String] {
        let stack = try Stack(store(in: folder))
        let context = stack.makeContext()
        let found = try context.inQueue { try body(context) }
        try stack.close()
        return found
    }
}

/// Objects that are fetched in batches, while they are looked at.
///
/// What can't be read then has no value and is reported, as with faults; the program goes on, and a
/// fresh context reads all.
private final class BatchesAttempt: Attempt {
    var url: URL { stack.url }
    private let stack: Stack
    private let context: NSManagedObjectContext

    init(_ stack: Stack) {
        self.stack = stack
        context = stack.makeContext()
    }

    func act() throws {
        try context.inQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchBatchSize = 5
            for item in try context.fetch(request) { _ = item.value(forKey: "value") }
        }
    }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong = failure.map { untyped($0) } ?? []
        if let clean { wrong += compare(url, with: [clean.before], "after reading") }
        let fresh = stack.makeContext()
        let count = try fresh.inQueue { try fresh.seen().count }
        if count != 33 { wrong.append("a fresh context reads \(count) objects") }
        return wrong
    }

    func end() throws { try stack.close() }
}
