import TestSupport
import Testing

@testable import CoreData

/// The same predicate through the public API: a fetch from a SQLite store, a fetch from a store in
/// memory, and `evaluate(with:)`, on objects that are saved and on objects that are not.
@Suite struct StoreDifferentialTests {
    /// Predicates for each seed; the environment can ask for more.
    static let count =
        ProcessInfo.processInfo.environment["PREDICATE_PAIRS"].flatMap { Int($0) } ?? 200

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func storesAndObjectsAgree(_ seed: UInt64) throws {
        let fixture = try QueryFixture(seed: seed, count: 30)
        let stores = try [
            StoreUnderTest("SQLite", .sqlite, fixture, isSaved: true),
            StoreUnderTest("memory", .inMemory, fixture, isSaved: true),
            StoreUnderTest("SQLite, unsaved", .sqlite, fixture, isSaved: false),
        ]
        var generator = RandomPredicate(seed: seed &* 104_729, fixture: fixture)
        var failures = 0, refused = 0
        for _ in 0..<Self.count where failures < 5 {
            let format = generator.makeFormat(), arguments = generator.arguments
            let evaluator = PredicateEvaluator(
                try NSPredicate.parse(format, arguments: arguments)
            )
            let expected = fixture.people.filter { evaluator.evaluate($0) }
                .map(\.reference.primaryKey)
            for store in stores {
                do {
                    let found = try store.fetch(format, arguments)
                    let evaluated = try store.evaluate(format, arguments)
                    guard found != expected || evaluated != expected else { continue }
                    failures += 1
                    Issue.record(
                        """
                        \(store.name): \(format.prefix(600)) \(String(describing: arguments).prefix(300))
                        fetched \(found), evaluated \(evaluated), expected \(expected)
                        """
                    )
                } catch let error as QueryError where error.kind == .unsupported {
                    refused += 1
                }
            }
        }
        #expect(refused < Self.count / 5)
    }
}

/// A stack that holds a fixture's rows as objects, for as long as it lives.
private final class StoreUnderTest {
    let name: String
    private let stack: TestStack
    private let context: NSManagedObjectContext
    private var objects: [RowReference: NSManagedObject] = [:]
    private var people: [NSManagedObject] = []
    private var numbers: [NSManagedObjectID: Int64] = [:]

    init(
        _ name: String,
        _ kind: TestSupport.StoreKind,
        _ fixture: QueryFixture,
        isSaved: Bool
    ) throws {
        self.name = name
        stack = try TestStack(kind, model: QueryFixture.makeModel())
        context = stack.makeContext()
        try context.onQueue {
            for row in fixture.departments { insert("Department", row) }
            for row in fixture.tags { insert("Tag", row) }
            for row in fixture.people { people.append(insert("Person", row)) }
            for row in fixture.people { relate(row) }
            try context.obtainPermanentIDs(for: people)
            if isSaved { try context.save() }
            for (row, object) in zip(fixture.people, people) {
                numbers[object.objectID] = row.reference.primaryKey
            }
        }
    }

    @discardableResult
    private func insert(_ entity: String, _ row: MemoryRow) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in row.values {
            switch value {
            case .collection, .object, .null: continue
            default: object.setValue(value.anyValue, forKey: key)
            }
        }
        objects[row.reference] = object
        return object
    }

    private func relate(_ row: MemoryRow) {
        guard let object = objects[row.reference] else { return }
        for key in ["boss", "dept"] {
            guard case .object(let source)? = row.values[key],
                let other = (source as? MemoryRow)?.reference
            else { continue }
            object.setValue(objects[other], forKey: key)
        }
        let tags = row.rows("tags").compactMap { objects[$0.reference] }
        object.setValue(NSSet(array: tags), forKey: "tags")
    }

    func fetch(_ format: String, _ arguments: [Any]) throws -> [Int64] {
        try context.onQueue {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = try predicate(format, arguments)
            return try context.fetch(request).compactMap { numbers[$0.objectID] }.sorted()
        }
    }

    func evaluate(_ format: String, _ arguments: [Any]) throws -> [Int64] {
        try context.onQueue {
            let predicate = try predicate(format, arguments)
            return people.filter { predicate.evaluate(with: $0) }
                .compactMap { numbers[$0.objectID] }.sorted()
        }
    }

    private func predicate(_ format: String, _ arguments: [Any]) throws -> NSPredicate {
        try NSPredicate.parse(format, arguments: arguments.map(translated))
    }

    /// Rows of the fixture as objects of the context, or as their IDs.
    private func translated(_ argument: Any) -> Any {
        if let row = argument as? MemoryRow {
            guard let object = objects[row.reference] else { return row }
            // Objects and their IDs are the same to predicates.
            return row.reference.primaryKey.isMultiple(of: 2) ? object : object.objectID
        }
        if let list = argument as? [Any] { return list.map(translated) }
        return argument
    }
}
