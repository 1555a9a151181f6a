import CoreData
import Foundation

/// What predicates cost: to parse, to evaluate on managed objects and on dictionaries.
@main struct QueryBench {
    static func main() throws {
        for format in ["name == %@", "name BEGINSWITH[cd] %@ AND age > 5"] {
            try report("parse \(format)", count: 20_000) {
                for _ in 0..<20_000 { _ = try NSPredicate.parse(format, arguments: ["a"]) }
            }
        }
        // Main waits for the block, which alone uses it.
        nonisolated(unsafe) let bench = try QueryBench()
        bench.context.performAndWait {
            for format in [
                "age > 50", "name == 'name 7'", "name ==[c] 'NAME 7'", "age IN {1, 5, 36}",
                "boss.age > 50", "name BEGINSWITH 'name 1'", "ANY reports.age > 50",
            ] {
                bench.measure(format)
            }
        }
    }

    private let coordinator: NSPersistentStoreCoordinator
    private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private var objects: [NSManagedObject] = []
    private let dictionaries: [[String: Any]]

    private init() throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.makeModel())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType,
            configurationName: nil,
            at: nil,
            options: nil
        )
        context.persistentStoreCoordinator = coordinator
        let context = context
        objects = context.performAndWait {
            let people = (0..<1000).map { index in
                let person = NSEntityDescription.insertNewObject(
                    forEntityName: "Person",
                    into: context
                )
                person.setValue("name \(index)", forKey: "name")
                person.setValue(index % 100, forKey: "age")
                return person
            }
            // One of each two has a boss, and each boss one report.
            for index in stride(from: 1, to: 1000, by: 2) {
                people[index].setValue(people[index - 1], forKey: "boss")
            }
            return people
        }
        dictionaries = (0..<1000).map { ["name": "name \($0)", "age": $0 % 100] }
    }

    private func measure(_ format: String) {
        let predicate = NSPredicate(format: format)
        // Counted, so that the compiler can't leave out an evaluation whose result nobody uses.
        var found = 0
        Self.report("evaluate \(format)", count: 100 * objects.count) {
            for _ in 0..<100 {
                for object in objects where predicate.evaluate(with: object) { found += 1 }
            }
        }
        // The dictionaries have no relationships.
        guard !format.contains("boss"), !format.contains("reports") else { return }
        Self.report("    the same on dictionaries", count: 100 * dictionaries.count) {
            for _ in 0..<100 {
                for row in dictionaries where predicate.evaluate(with: row) { found += 1 }
            }
        }
    }

    private static func report(_ name: String, count: Int, _ body: () throws -> Void) rethrows {
        let time = try ContinuousClock().measure(body)
        let (seconds, attoseconds) = time.components
        let nanoseconds = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
        print("\(name): \(Int(nanoseconds)) ns")
    }

    private static func makeModel() -> NSManagedObjectModel {
        let person = NSEntityDescription()
        person.name = "Person"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer32AttributeType
        let boss = NSRelationshipDescription(), reports = NSRelationshipDescription()
        boss.name = "boss"
        boss.destinationEntity = person
        boss.maxCount = 1
        reports.name = "reports"
        reports.destinationEntity = person
        boss.inverseRelationship = reports
        reports.inverseRelationship = boss
        person.properties = [name, age, boss, reports]
        let model = NSManagedObjectModel()
        model.entities = [person]
        return model
    }
}
