import CoreData
import TestSupport
import Testing

/// Random requests for dictionaries, which both kinds of stores have to answer alike.
@Suite struct DictionaryDifferentialTests {
    @Test(arguments: 0..<12)
    func storesAgree(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let rows = (0..<30).map { _ in Row(&random) }
        let recipes = (0..<60).map { _ in Recipe(&random) }
        let sqlite = try results(.sqlite, rows, recipes)
        let inMemory = try results(.inMemory, rows, recipes)
        for (index, recipe) in recipes.enumerated() {
            #expect(sqlite[index] == inMemory[index], "\(recipe)")
        }
        #expect(sqlite.contains { $0.count > 1 })
    }

    private func results(
        _ kind: StoreKind,
        _ rows: [Row],
        _ recipes: [Recipe]
    ) throws -> [[[String: String]]] {
        try withContext(kind) { context in
            let departments = (0..<3).map {
                context.make("Department", ["name": "d\($0)", "code": $0])
            }
            for (index, row) in rows.enumerated() {
                let person = context.make("Person", ["name": "p\(100 + index)"])
                person.setValue(row.age, forKey: "age")
                person.setValue(row.height, forKey: "height")
                person.setValue(row.department.map { departments[$0] }, forKey: "department")
            }
            try context.save()
            return try recipes.map { try $0.results(context) }
        }
    }
}

/// The values of a person.
private struct Row {
    let age: Int?
    let height: Double?
    let department: Int?

    init(_ random: inout SplitMix) {
        age = random.chance(5) ? nil : random.below(6)
        height = random.chance(4) ? nil : Double(random.below(8)) / 4
        department = random.chance(4) ? nil : random.below(3)
    }
}

/// A request, and whether its results have an order.
private struct Recipe: CustomStringConvertible {
    private var columns: [String] = []
    private var groups: [String] = []
    private var having: String?
    private var predicate: String?
    private var sortKeys: [String] = []
    private var window = (offset: 0, limit: 0)
    private var isDistinct = false

    private static let keys = ["age", "height", "department.name", "department.code"]
    private static let aggregates = [
        "count:(name)", "count:(age)", "sum:(age)", "min:(height)", "max:(department.code)",
        "average:(age)", "sum:(age * 2)", "max:(age) - min:(age)", "1 + sum:(department.code)",
    ]

    init(_ random: inout SplitMix) {
        if random.chance(2) {
            predicate = random.pick(["age > 2", "department != nil", "height < 1"])
        }
        if random.chance(2) {
            groups = Array(Set((0...random.below(2)).map { _ in random.pick(Self.keys) })).sorted()
            columns = groups + [random.pick(Self.aggregates), random.pick(Self.aggregates)]
            if random.chance(2) { having = random.pick(["count:(name) > 1", "max:(age) >= 3"]) }
            sortKeys = random.chance(2) ? groups : []
        } else if random.chance(3) {
            columns = [random.pick(Self.aggregates), random.pick(Self.aggregates)]
        } else {
            columns = [
                random.pick(Self.keys), random.pick(["age + 1", "name", "department.code * 2"]),
            ]
            isDistinct = random.chance(2)
            sortKeys = isDistinct ? [] : [random.pick(Self.keys), "name"]
        }
        if !sortKeys.isEmpty, random.chance(2) {
            window = (offset: random.below(4), limit: random.below(6))
        }
    }

    var description: String {
        "\(columns) by \(groups) having \(having ?? "") where \(predicate ?? "") "
            + "sorted \(sortKeys) \(window) distinct \(isDistinct)"
    }

    func results(_ context: NSManagedObjectContext) throws -> [[String: String]] {
        let request = dictionaryRequest(
            columns.map { computed($0, NSExpression(format: $0), .undefinedAttributeType) }
        )
        request.propertiesToGroupBy = groups
        request.havingPredicate = having.map { NSPredicate(format: $0) }
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.sortDescriptors = sortKeys.map { NSSortDescriptor(key: $0, ascending: true) }
        request.fetchOffset = window.offset
        request.fetchLimit = window.limit
        request.returnsDistinctResults = isDistinct
        let found = try context.fetch(request).map { result in
            var texts: [String: String] = [:]
            for case (let key as String, let value) in result {
                texts[key] = (value as? NSNumber).map { "\($0.doubleValue)" } ?? "\(value)"
            }
            return texts
        }
        guard sortKeys.isEmpty else { return found }
        return found.sorted { Self.text($0) < Self.text($1) }
    }

    private static func text(_ result: [String: String]) -> String {
        result.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ";")
    }
}
