import CoreData
import TestSupport
import Testing

/// Decimal values wherever values are told apart. Foundation's own decimal numbers can't be hashed
/// on Linux, so a set of them would stop the process.
@Suite struct DecimalTests {
    private static let balances = ["1.5", "1.50", "-2", "12345678901234.25"]

    /// Four people of one department, with three different balances.
    private func withBalances(
        _ kind: StoreKind,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "A"])
            for (index, text) in Self.balances.enumerated() {
                let balance = NSDecimalNumber(string: text)
                let person = context.make("Person", ["name": "\(index)", "balance": balance])
                person.setValue(department, forKey: "department")
            }
            try context.save()
            context.reset()
            try body(context)
        }
    }

    private func decimals(_ texts: [String]) -> Set<Decimal> {
        Set(texts.compactMap { Decimal(string: $0) })
    }

    private func decimals(_ values: some Sequence) -> Set<Decimal> {
        Set(values.compactMap { ($0 as? NSDecimalNumber)?.decimalValue })
    }

    @Test(arguments: StoreKind.allCases)
    func distinctResultsAreOfDifferentValues(kind: StoreKind) throws {
        try withBalances(kind) { context throws in
            let request = dictionaryRequest(["balance"])
            request.returnsDistinctResults = true
            let found = try context.fetch(request)
            #expect(found.count == 3)
            #expect(decimals(found.map { $0["balance"] }) == decimals(Self.balances))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func groupsAreOfEqualValues(kind: StoreKind) throws {
        try withBalances(kind) { context throws in
            let count = aggregate("count:", of: "name", .integer64AttributeType)
            let request = dictionaryRequest(["balance", count], sortedBy: "balance")
            request.propertiesToGroupBy = ["balance"]
            #expect(try context.fetch(request).map { $0.integer("count:") } == [1, 2, 1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theValuesOfASetOfObjectsAreASet(kind: StoreKind) throws {
        try withBalances(kind) { context throws in
            let department = try context.only("Department")
            let values = try #require(department.value(forKeyPath: "people.balance") as? NSSet)
            #expect(values.count == 3 && decimals(values) == decimals(Self.balances))
            #expect(values.contains(NSNumber(value: -2)) && values.contains(NSNumber(value: 1.5)))
            let path = "people.@distinctUnionOfObjects.balance"
            let distinct = try #require(department.value(forKeyPath: path) as? NSSet)
            #expect(distinct.count == 3 && decimals(distinct) == decimals(Self.balances))
            let people = NSArray(array: try context.all("Person"))
            let list = NSDictionary(dictionary: ["people": people])
                .value(forKeyPath: "people.@distinctUnionOfObjects.balance")
            #expect((list as? NSArray)?.count == 3)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func predicatesTakeCollectionsOfDecimals(kind: StoreKind) throws {
        try withBalances(kind) { context throws in
            let wanted = ["1.5", "7.25"].map { NSDecimalNumber(string: $0) }
            let isOne = NSPredicate(format: "balance IN %@", NSArray(array: wanted))
            #expect(try context.all("Person", where: isOne).count == 2)
            #expect(try context.all("Person").filter { isOne.evaluate(with: $0) }.count == 2)
            let has = NSPredicate(format: "ANY people.balance == %@", wanted[0])
            #expect(try context.all("Department", where: has).count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func constraintsCompareDecimals(kind: StoreKind) throws {
        let model = SampleModel.make()
        let person = try #require(model.entitiesByName["Person"])
        person.uniquenessConstraints = [["balance"]]
        try withContext(kind, model: model) { context in
            context.make("Person", ["name": "a", "balance": NSDecimalNumber(string: "1.5")])
            try context.save()
            context.make("Person", ["name": "b", "balance": NSDecimalNumber(string: "1.50")])
            #expect(errorCode(context.save) == NSManagedObjectConstraintMergeError)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(try context.only("Person").text("name") == "b")
        }
    }
}
