import CoreData
import TestSupport
import Testing

/// Predicates with the forms of the language that are used least.
@Suite struct FetchExpressionTests {
    private func withPeople(
        _ kind: StoreKind,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        try withContext(kind) { context in
            for (name, age) in [("Ada", 1), ("Bob", 2), ("Cyd", 3), ("Dee", 6)] {
                context.make("Person", ["name": name, "age": age])
            }
            try context.save()
            try body(context)
        }
    }

    private func names(
        _ context: NSManagedObjectContext,
        _ format: String,
        _ arguments: [Any] = []
    ) throws -> [String] {
        try context.all(
            "Person",
            sortedBy: "name",
            where: NSPredicate(format: format, argumentArray: arguments)
        ).compactMap { $0.text("name") }
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func bitsAreTestedInStoresAndInMemory(_ kind: StoreKind) throws {
        try withPeople(kind) { context throws in
            let expected = [
                "(age & 1) > 0": ["Ada", "Cyd"], "age & 2 == 2": ["Bob", "Cyd", "Dee"],
                "(age | 1) == 3": ["Bob", "Cyd"], "age ^ 3 == 1": ["Bob"],
                "(age << 1) == 4": ["Bob"], "age >> 1 == 1": ["Bob", "Cyd"],
                "~age == -2": ["Ada"], "1 | 2 & 2 == age": ["Cyd"],
                "age & 1 == 1 && age | 2 == 3 || age ^ 6 == 0": ["Ada", "Cyd", "Dee"],
                "age & 2 + 1 == 3": ["Cyd"], "bitwiseAnd:with:(age, 4) != 0": ["Dee"],
                // A decimal has no bits, also where it is whole.
                "bitwiseOr:with:(CAST('1', 'NSDecimalNumber'), age) != nil": [],
            ]
            for (format, people) in expected {
                #expect(try names(context, format) == people, "\(format)")
                let predicate = NSPredicate(format: format)
                let evaluated = try context.all("Person", sortedBy: "name")
                    .filter { predicate.evaluate(with: $0) }
                    .compactMap { $0.text("name") }
                #expect(evaluated == people, "\(format)")
            }
        }
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func aFetchMayStandOnTheRightOfIn(_ kind: StoreKind) throws {
        try withPeople(kind) { context throws in
            let young = NSFetchRequest<NSManagedObject>(entityName: "Person")
            young.predicate = NSPredicate(format: "age < 3")
            #expect(
                try names(context, "SELF IN FETCH(%@, %@, NO)", [young, context])
                    == ["Ada", "Bob"]
            )
            #expect(
                try names(context, "NOT SELF IN FETCH(%@, %@, NO)", [young, context])
                    == ["Cyd", "Dee"]
            )
            #expect(
                try names(context, "age > FETCH(%@, %@, YES)", [young, context])
                    == ["Cyd", "Dee"]
            )
            let expression = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: young),
                context: NSExpression(forConstantValue: context),
                countOnly: false
            )
            #expect(try names(context, "SELF IN %@", [expression]) == ["Ada", "Bob"])
            // What is not saved yet counts, as in any fetch of the context.
            context.make("Person", ["name": "Eve", "age": 0])
            #expect(
                try names(context, "SELF IN FETCH(%@, %@, NO)", [young, context])
                    == ["Ada", "Bob", "Eve"]
            )
        }
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func aFetchOfOneColumnGivesItsValues(_ kind: StoreKind) throws {
        try withPeople(kind) { context throws in
            let ages = NSFetchRequest<NSDictionary>(entityName: "Person")
            ages.resultType = .dictionaryResultType
            ages.propertiesToFetch = ["age"]
            ages.predicate = NSPredicate(format: "name IN {'Bob', 'Dee'}")
            #expect(
                try names(context, "age IN FETCH(%@, %@, NO)", [ages, context]) == ["Bob", "Dee"]
            )
        }
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func aFailingFetchFailsTheFetchThatHoldsIt(_ kind: StoreKind) throws {
        try withPeople(kind) { context throws in
            let wrong = NSFetchRequest<NSManagedObject>(entityName: "Person")
            wrong.predicate = NSPredicate(format: "nope == 1")
            #expect(throws: (any Error).self) {
                try names(context, "SELF IN FETCH(%@, %@, NO)", [wrong, context])
            }
        }
    }

    @Test func keysMayFollowVariablesAndPaths() throws {
        try withPeople(.sqlite) { context throws in
            let source = try #require(
                try context.all("Person", where: NSPredicate(format: "name == 'Bob'")).first
            )
            let template = NSPredicate(format: "%K == $FETCH_SOURCE.%K", "age", "age")
            #expect(template == NSPredicate(format: "age == $FETCH_SOURCE.age"))
            let predicate = template.withSubstitutionVariables(["FETCH_SOURCE": source])
            #expect(try context.all("Person", where: predicate) == [source])
            #expect(try names(context, "SELF.%K == 3", ["age"]) == ["Cyd"])
            #expect(
                NSPredicate(format: "%K.%K == 1", "boss", "age")
                    == NSPredicate(format: "boss.age == 1")
            )
        }
    }

    @Test func booleanLiteralsAreNumbers() throws {
        for (literal, number) in [("true", 1), ("YES", 1), ("FALSE", 0), ("no", 0)] {
            let predicate = try #require(
                NSPredicate(format: "a = \(literal)") as? NSComparisonPredicate
            )
            let constant = predicate.rightExpression.constantValue
            #expect(constant is NSNumber)
            #expect(constant as? Int == number)
            #expect(constant as? Bool == (number == 1))
        }
        let given = try #require(
            NSPredicate(format: "a = %@", argumentArray: [true]) as? NSComparisonPredicate
        )
        #expect(given.rightExpression.constantValue as? Int == 1)
        #expect(NSPredicate(format: "a = true") == NSPredicate(format: "a = YES"))
    }
}
