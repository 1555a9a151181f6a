import CoreData
import TestSupport
import Testing

@Suite struct AggregateTests {
    @Test(arguments: StoreKind.allCases)
    func functionsAggregateAllRowsThatHaveAValue(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest([
                aggregate("count:", of: "age", .integer32AttributeType),
                aggregate("sum:", of: "age", .integer64AttributeType),
                aggregate("min:", of: "age", .integer32AttributeType),
                aggregate("max:", of: "age", .integer32AttributeType),
                aggregate("average:", of: "age", .doubleAttributeType),
            ])
            let results = try context.fetch(request)
            #expect(results.count == 1)
            let only = try #require(results.first)
            #expect(only.integer("count:") == 5 && only.integer("sum:") == 170)
            #expect(only.integer("min:") == 20 && only.integer("max:") == 50)
            #expect(only.real("average:") == 34)
        }
    }

    /// As client code writes them that knows collections' operators.
    @Test(arguments: StoreKind.allCases)
    func operatorsAtTheBeginningOfAKeyPathAggregateRows(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            func column(_ path: String, _ type: NSAttributeType) -> NSExpressionDescription {
                computed(path, NSExpression(forKeyPath: path), type)
            }
            let columns = [
                column("@count", .integer32AttributeType),
                column("@sum.age", .integer64AttributeType),
                column("@min.age", .integer32AttributeType),
                column("@max.age", .integer32AttributeType),
                column("@avg.age", .doubleAttributeType),
            ]
            let request = dictionaryRequest(columns)
            let only = try #require(try context.fetch(request).first)
            #expect(only.integer("@count") == 6 && only.integer("@sum.age") == 170)
            #expect(only.integer("@min.age") == 20 && only.integer("@max.age") == 50)
            #expect(only.real("@avg.age") == 34)
            request.propertiesToFetch = ["department.name", columns[0], columns[1]]
            request.propertiesToGroupBy = ["department.name"]
            request.predicate = NSPredicate(format: "department.name == 'A'")
            let group = try #require(try context.fetch(request).first)
            #expect(group.text("department.name") == "A")
            #expect(group.integer("@count") == 3 && group.integer("@sum.age") == 110)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func predicatesChooseWhatIsAggregated(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest([aggregate("sum:", of: "age", .integer64AttributeType)])
            request.predicate = NSPredicate(format: "department.name == 'A'")
            #expect(try context.fetch(request).first?.integer("sum:") == 110)
            request.includesSubentities = false
            request.predicate = NSPredicate(format: "age < 50")
            #expect(try context.fetch(request).first?.integer("sum:") == 60)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aggregatesOfNothing(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest([
                aggregate("count:", of: "age", .integer32AttributeType),
                aggregate("max:", of: "age", .integer32AttributeType),
                aggregate("average:", of: "age", .doubleAttributeType),
            ])
            request.predicate = NSPredicate(format: "age > 1000")
            let results = try context.fetch(request)
            #expect(results.count == 1 && results.first?.integer("count:") == 0)
            #expect(results.first?["max:"] == nil && results.first?["average:"] == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func textDatesAndDecimalsHaveExtremes(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            for (index, person) in try context.all("Person", sortedBy: "name").enumerated() {
                let born = Date(timeIntervalSinceReferenceDate: Double(index))
                person.setValue(born, forKey: "born")
            }
            try context.save()
            let request = dictionaryRequest([
                computed("first", NSExpression(format: "min:(name)"), .stringAttributeType),
                computed("last", NSExpression(format: "max:(name)"), .stringAttributeType),
                computed("youngest", NSExpression(format: "max:(born)"), .dateAttributeType),
                computed("total", NSExpression(format: "sum:(balance)"), .decimalAttributeType),
                computed("tallest", NSExpression(format: "max:(height)"), .doubleAttributeType),
            ])
            let only = try #require(try context.fetch(request).first)
            #expect(only.text("first") == "Ann" && only.text("last") == "Finn")
            #expect(only["youngest"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
            #expect(only["total"] as? NSDecimalNumber == NSDecimalNumber(value: 0))
            #expect(only.real("tallest") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func argumentsMayBeKeyPathsAndArithmetic(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest([
                aggregate("sum:", of: "department.code", .integer64AttributeType),
                computed("twice", NSExpression(format: "sum:(age * 2)"), .integer64AttributeType),
                computed("more", NSExpression(format: "sum:(age) + 1"), .integer64AttributeType),
                computed(
                    "spread",
                    NSExpression(format: "max:(age) - min:(age)"),
                    .integer64AttributeType
                ),
            ])
            let results = try context.fetch(request)
            #expect(results.count == 1)
            let only = try #require(results.first)
            #expect(only.integer("sum:") == 7 && only.integer("twice") == 340)
            #expect(only.integer("more") == 171 && only.integer("spread") == 30)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func expressionsWithoutAggregatesAreComputedForEachRow(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let next = computed("next", NSExpression(format: "age + 1"), .integer32AttributeType)
            let request = dictionaryRequest(["name", next], sortedBy: "name")
            let results = try context.fetch(request)
            #expect(results.map { $0.integer("next") } == [31, 31, 41, nil, 21, 51])
            let people = computed(
                "n",
                NSExpression(format: "people.@count"),
                .integer32AttributeType
            )
            let oldest = computed(
                "oldest",
                NSExpression(format: "people.@max.age"),
                .integer32AttributeType
            )
            let departments = try context.fetch(
                dictionaryRequest([people, oldest], of: "Department", sortedBy: "name")
            )
            #expect(departments.map { $0.integer("n") } == [3, 2, 0])
            #expect(departments.map { $0.integer("oldest") } == [50, 40, nil])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func functionsOfToManyRelationshipsAreComputedForEachRow(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(
                [
                    "name", aggregate("count:", of: "people", .integer32AttributeType),
                    aggregate("sum:", of: "people.age", .integer32AttributeType),
                ],
                of: "Department",
                sortedBy: "name"
            )
            let results = try context.fetch(request)
            #expect(results.map { $0.text("name") } == ["A", "B", "C"])
            #expect(results.map { $0.integer("count:") } == [3, 2, 0])
            #expect(results.map { $0.integer("sum:") } == [110, 40, 0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anAggregateInsideArithmeticMakesOneResult(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let more = computed(
                "more",
                NSExpression(format: "1 + sum:(age)"),
                .integer64AttributeType
            )
            let results = try context.fetch(dictionaryRequest([more]))
            #expect(results.map { $0.integer("more") } == [171])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func constantsAreColumnsToo(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let constant = computed(
                "kind",
                NSExpression(forConstantValue: "staff"),
                .stringAttributeType
            )
            let results = try context.fetch(dictionaryRequest([constant, "name"]))
            #expect(results.count == 6 && results.allSatisfy { $0.text("kind") == "staff" })
        }
    }
}
