import CoreData
import TestSupport
import Testing

@Suite struct GroupingTests {
    private let people = aggregate("count:", of: "name", .integer64AttributeType)

    @Test(arguments: StoreKind.allCases)
    func aggregatesAreOfEachGroup(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let oldest = aggregate("max:", of: "age", .integer32AttributeType)
            let request = dictionaryRequest(
                ["department.name", people, oldest],
                sortedBy: "department.name"
            )
            request.propertiesToGroupBy = ["department.name"]
            let groups = try context.fetch(request)
            #expect(groups.map { $0.text("department.name") } == [nil, "A", "B"])
            #expect(groups.map { $0.integer("count:") } == [1, 3, 2])
            #expect(groups.map { $0.integer("max:") } == [20, 50, 40])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func collectionOperatorsAreOfAllRowsOfAGroup(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            context.make("Department", ["name": "A", "code": 3])
            try context.save()
            let columns = ["people.@count", "people.@sum.age", "people.@max.age"].map { path in
                let column = NSExpressionDescription()
                column.name = path
                column.expression = NSExpression(forKeyPath: path)
                column.expressionResultType = .integer64AttributeType
                return column
            }
            let request = dictionaryRequest(["name"] + columns, of: "Department", sortedBy: "name")
            request.propertiesToGroupBy = ["name"]
            let groups = try context.fetch(request)
            #expect(groups.map { $0.text("name") } == ["A", "B", "C"])
            #expect(groups.map { $0.integer("people.@count") } == [3, 2, 0])
            #expect(groups.prefix(2).map { $0.integer("people.@sum.age") } == [110, 40])
            #expect(groups.map { $0.integer("people.@max.age") } == [50, 40, nil])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anExpressionDescriptionWithoutExpressionIsTheProperty(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let name = NSExpressionDescription()
            name.name = "name"
            let request = dictionaryRequest([name], of: "Department", sortedBy: "name")
            #expect(try context.fetch(request).map { $0.text("name") } == ["A", "B", "C"])
        }
    }

    /// A variable in the condition stands for the column of that name.
    @Test(arguments: StoreKind.allCases)
    func conditionsNameColumns(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let count = NSExpressionDescription()
            count.name = "members"
            count.expression = NSExpression(
                forFunction: "count:",
                arguments: [NSExpression(forKeyPath: "name")]
            )
            count.expressionResultType = .integer64AttributeType
            let request = dictionaryRequest(
                ["department.name", count],
                sortedBy: "department.name"
            )
            request.propertiesToGroupBy = ["department.name"]
            request.havingPredicate = NSPredicate(
                format: "%@ > 2",
                NSExpression(forVariable: "members")
            )
            #expect(try context.fetch(request).map { $0.text("department.name") } == ["A"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func groupsAreOfSeveralPropertiesInAnyForm(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let entity = try #require(
                NSEntityDescription.entity(forEntityName: "Person", in: context)
            )
            let age = try #require(entity.attributesByName["age"])
            let department = try #require(entity.relationshipsByName["department"])
            let request = dictionaryRequest([age, department, people], sortedBy: "age")
            request.propertiesToGroupBy = [age, department]
            let groups = try context.fetch(request)
            #expect(groups.map { $0.integer("age") } == [nil, 20, 30, 40, 50])
            #expect(groups.map { $0.integer("count:") } == [1, 1, 2, 1, 1])
            let ids = groups.map { $0["department"] as? NSManagedObjectID }
            #expect(ids[1] == nil && ids[2] == ids[4] && ids[0] == ids[3] && ids[2] != ids[3])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func groupsMayBeComputed(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let decade = computed("half", NSExpression(format: "age / 2"), .integer32AttributeType)
            let request = dictionaryRequest([decade, people])
            request.propertiesToGroupBy = [decade]
            request.predicate = NSPredicate(format: "age != nil")
            let groups = try context.fetch(request)
            let sizes = groups.compactMap { group in
                group.integer("half").map { ($0, group.integer("count:") ?? 0) }
            }
            #expect(Dictionary(uniqueKeysWithValues: sizes) == [10: 1, 15: 2, 20: 1, 25: 1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func havingChoosesGroups(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(
                ["department.name", people],
                sortedBy: "department.name"
            )
            request.propertiesToGroupBy = ["department.name"]
            request.havingPredicate = NSPredicate(format: "count:(name) > 1")
            #expect(try context.fetch(request).map { $0.integer("count:") } == [3, 2])
            request.havingPredicate = NSPredicate(format: "max:(age) > 20 AND sum:(age) < 100")
            #expect(try context.fetch(request).map { $0.text("department.name") } == ["B"])
            request.havingPredicate = NSPredicate(format: "department.name != nil")
            #expect(try context.fetch(request).count == 2)
            request.fetchLimit = 1
            request.fetchOffset = 1
            #expect(try context.fetch(request).map { $0.text("department.name") } == ["B"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rowsAreChosenBeforeTheyAreGrouped(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(["age", people], sortedBy: "age")
            request.propertiesToGroupBy = ["age"]
            request.predicate = NSPredicate(format: "name BEGINSWITH 'A' OR age > 30")
            let groups = try context.fetch(request)
            #expect(groups.map { $0.integer("age") } == [30, 40, 50])
            #expect(groups.allSatisfy { $0.integer("count:") == 1 })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func countsAreOfWhatAFetchWouldGive(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(["age", people])
            request.propertiesToGroupBy = ["age"]
            #expect(try context.count(for: request) == 5)
            request.propertiesToGroupBy = nil
            request.propertiesToFetch = ["isActive"]
            request.returnsDistinctResults = true
            #expect(try context.count(for: request) == 1)
        }
    }

    /// Apple: "the SELECT values must be literals, aggregates, or columns specified in
    /// propertiesToGroupBy".
    @Test(arguments: StoreKind.allCases)
    func columnsThatAreNotGroupedThrow(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest(["age", "name"])
            request.propertiesToGroupBy = ["age"]
            #expect(errorCode { _ = try context.fetch(request) } == NSCoreDataError)
            let literal = computed("x", NSExpression(forConstantValue: 1), .integer16AttributeType)
            request.propertiesToFetch = ["age", literal]
            #expect(try context.fetch(request).count == 5)
        }
    }

    /// Apple: "Specifying a havingPredicate requires that propertiesToGroupBy also be specified."
    @Test(arguments: StoreKind.allCases)
    func havingWithoutGroupsThrows(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = dictionaryRequest([people])
            request.havingPredicate = NSPredicate(format: "count:(name) > 1")
            #expect(errorCode { _ = try context.fetch(request) } == NSCoreDataError)
            request.propertiesToGroupBy = ["age"]
            #expect(try context.fetch(request).count == 1)
        }
    }

    /// Apple: "If you use this setting, you must set the resultType to dictionaryResultType".
    @Test(arguments: StoreKind.allCases)
    func groupingObjectsThrows(kind: StoreKind) throws {
        try withStaff(kind) { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.propertiesToGroupBy = ["age"]
            #expect(errorCode { _ = try context.fetch(request) } == NSCoreDataError)
            #expect(errorCode { _ = try context.count(for: request) } == NSCoreDataError)
        }
    }
}
