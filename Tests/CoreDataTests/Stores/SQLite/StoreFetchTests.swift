import Testing

@testable import CoreData

@Suite struct StoreFetchTests {
    /// Three people, two of them with pets and tags.
    private func filled(_ kind: TestedStore) throws -> StoreFixture {
        let fixture = try StoreFixture(kind)
        let dog = try fixture.insert("Dog", [["name": .text("rex")]])[0]
        let people = try fixture.insert(
            "Person",
            [
                [
                    "name": .text("Ann"), "age": .integer(30), "balance": .text("1.5"),
                    "favourite": .reference(dog.reference), "born": .real(10),
                ],
                [
                    "name": .text("Bob"), "age": .integer(20), "balance": .text("2.25"),
                    "born": .real(20),
                ],
                ["name": .text("cleo"), "age": .integer(30), "born": .real(30)],
            ]
        )
        let tags = try fixture.insert("Tag", [["title": .text("x")], ["title": .text("y")]])
        try fixture.insert(
            "Animal",
            [
                ["name": .text("cat"), "owner": .reference(people[1].reference)]
            ]
        )
        var changes = StoreChangeSet()
        changes.toManyChanges = [
            .init(
                owner: people[0].reference,
                slot: try fixture.slot("Person", "tags").index,
                added: tags.map(\.reference),
                removed: []
            ),
            .init(
                owner: tags[1].reference,
                slot: try fixture.slot("Tag", "people").index,
                added: [people[1].reference],
                removed: []
            ),
        ]
        try fixture.store.write(changes)
        return fixture
    }

    private func names(
        _ fixture: StoreFixture,
        _ format: String,
        _ arguments: [Any] = []
    ) throws -> [String] {
        var plan = try fixture.plan("Person")
        plan.predicate = NSPredicate(format: format, argumentArray: arguments)
        plan.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let layout = try fixture.layout("Person")
        let names = try fixture.store.rows(plan).compactMap { $0.text("name", layout) }
        #expect(try fixture.store.count(plan) == names.count)
        #expect(try fixture.store.references(plan).count == names.count)
        return names
    }

    @Test(arguments: TestedStore.allCases)
    func predicatesFollowRelationships(_ kind: TestedStore) throws {
        let fixture = try filled(kind)
        #expect(try names(fixture, "age = 30") == ["Ann", "cleo"])
        #expect(try names(fixture, "name BEGINSWITH[c] 'C' OR age < 25") == ["Bob", "cleo"])
        #expect(try names(fixture, "favourite.name = 'rex'") == ["Ann"])
        #expect(try names(fixture, "favourite = nil") == ["Bob", "cleo"])
        #expect(try names(fixture, "ANY tags.title = 'y'") == ["Ann", "Bob"])
        #expect(try names(fixture, "tags.@count = 2") == ["Ann"])
        #expect(try names(fixture, "ANY pets.name = 'cat'") == ["Bob"])
        #expect(try names(fixture, "balance > 2") == ["Bob"])
        let dog = Identified(
            RowReference(entityIndex: try fixture.layout("Dog").index, primaryKey: 1)
        )
        #expect(try names(fixture, "favourite = %@", [dog]) == ["Ann"])
        let ann = Identified(
            RowReference(entityIndex: try fixture.layout("Person").index, primaryKey: 1)
        )
        #expect(try names(fixture, "SELF = %@", [ann]) == ["Ann"])
        #expect(try names(fixture, "SELF IN %@", [[ann]]) == ["Ann"])
        // The dog has the same primary key, in another table.
        #expect(try names(fixture, "SELF IN %@", [[dog, ann]]) == ["Ann"])
        #expect(try names(fixture, "NOT SELF IN %@", [[dog]]) == ["Ann", "Bob", "cleo"])
        let person = try fixture.layout("Person").index
        let others = (2...700).map {
            Identified(RowReference(entityIndex: person, primaryKey: $0))
        }
        #expect(try names(fixture, "SELF IN %@", [others]) == ["Bob", "cleo"])
    }

    @Test(arguments: TestedStore.allCases)
    func sortDescriptorsOrderAndLimitsCut(_ kind: TestedStore) throws {
        let fixture = try filled(kind)
        var plan = try fixture.plan("Person")
        plan.sortDescriptors = [
            NSSortDescriptor(key: "age", ascending: false),
            NSSortDescriptor(key: "name", ascending: false),
        ]
        let layout = try fixture.layout("Person")
        func names() throws -> [String?] {
            try fixture.store.rows(plan).map { $0.text("name", layout) }
        }
        #expect(try names() == ["cleo", "Ann", "Bob"])
        plan.offset = 1
        plan.limit = 1
        #expect(try names() == ["Ann"])
        plan = try fixture.plan("Person")
        plan.sortDescriptors = [NSSortDescriptor(key: "favourite.name", ascending: false)]
        #expect(try names().first == "Ann")
    }

    @Test(arguments: TestedStore.allCases)
    func unknownKeysThrow(_ kind: TestedStore) throws {
        let fixture = try filled(kind)
        #expect(throws: (any Error).self) { try names(fixture, "nonsense = 3") }
        var plan = try fixture.plan("Person")
        plan.sortDescriptors = [NSSortDescriptor(key: "nonsense", ascending: true)]
        #expect(throws: (any Error).self) { try fixture.store.rows(plan) }
    }

    @Test(arguments: TestedStore.allCases)
    func valuesComeAsKeyValueAccessGivesThem(_ kind: TestedStore) throws {
        let fixture = try filled(kind)
        var plan = try fixture.plan("Person")
        plan.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let columns = ColumnPlan(columns: [
            .keyPath("name"), .keyPath("age"), .keyPath("balance"), .keyPath("favourite"),
            .keyPath("born"), .objectID, .keyPath("favourite.name"),
        ])
        let values = try fixture.store.values(plan, columns: columns)
        #expect(values.count == 3)
        let ann = try #require(values.first)
        #expect(ann[0] as? String == "Ann")
        #expect((ann[1] as? NSNumber)?.intValue == 30)
        #expect(ann[2] as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
        let dog = RowReference(entityIndex: try fixture.layout("Dog").index, primaryKey: 1)
        #expect(ann[3] as? RowReference == dog)
        #expect(ann[4] as? Date == Date(timeIntervalSinceReferenceDate: 10))
        #expect((ann[5] as? RowReference)?.primaryKey == 1)
        #expect(ann[6] as? String == "rex")
        #expect(values[2][2] == nil)
        #expect(values[2][3] == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func valuesAreGroupedAndAggregated(_ kind: TestedStore) throws {
        let fixture = try filled(kind)
        func function(_ name: String, _ path: String) -> CoreData.NSExpression {
            NSExpression(forFunction: name, arguments: [NSExpression(forKeyPath: path)])
        }
        var plan = try fixture.plan("Person")
        let whole = try fixture.store.values(
            plan,
            columns: ColumnPlan(columns: [
                .expression(function("count:", "name"), .integer64AttributeType),
                .expression(function("max:", "born"), .dateAttributeType),
                .expression(function("sum:", "balance"), .decimalAttributeType),
            ])
        )
        #expect(whole.count == 1)
        #expect((whole.first?[0] as? NSNumber)?.intValue == 3)
        #expect(whole.first?[1] as? Date == Date(timeIntervalSinceReferenceDate: 30))
        #expect(whole.first?[2] as? NSDecimalNumber == NSDecimalNumber(string: "3.75"))

        plan.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        var columns = ColumnPlan(columns: [
            .keyPath("age"), .expression(function("count:", "name"), .integer64AttributeType),
        ])
        columns.groupBy = [NSExpression(forKeyPath: "age")]
        var groups = try fixture.store.values(plan, columns: columns)
        #expect(groups.map { ($0[1] as? NSNumber)?.intValue } == [1, 2])
        columns.having = NSComparisonPredicate(
            leftExpression: function("count:", "name"),
            rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct,
            type: .greaterThan,
            options: []
        )
        groups = try fixture.store.values(plan, columns: columns)
        #expect(groups.map { ($0[0] as? NSNumber)?.intValue } == [30])

        var distinct = ColumnPlan(columns: [.keyPath("age")])
        distinct.isDistinct = true
        #expect(try fixture.store.values(plan, columns: distinct).count == 2)
    }
}

/// Stands for a row in a predicate, as an object ID does.
final class Identified: NSObject, StoredRowIdentifiable {
    let rowReference: RowReference?
    let rowStore: NSPersistentStore? = nil
    init(_ reference: RowReference) { rowReference = reference }
    override func isEqual(_ object: Any?) -> Bool {
        (object as? Identified)?.rowReference == rowReference
    }
    override var hash: Int { rowReference?.hashValue ?? 0 }
}
