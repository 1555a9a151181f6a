import Testing

@testable import CoreData

/// Archives of predicates that are damaged, or of another shape than those that are written here.
@Suite struct DamagedPredicateTests {
    private static let a = CraftedValue.object("NSKeyPathSpecifierExpression", ["NSKeyPath": "a"])
    private static let truth = CraftedValue.object("NSTruePredicate")

    private static func comparison(_ fields: [String: CraftedValue]) -> CraftedValue {
        .object(
            "NSComparisonPredicate",
            [
                "NSLeftExpression": a, "NSRightExpression": a,
                "NSPredicateOperator": .object("NSPredicateOperator", fields),
            ]
        )
    }

    private static let predicates: [(CraftedValue, String)] = [
        (.object("NSThingPredicate"), "predicates of class NSThingPredicate are not known"),
        (.object("NSCompoundPredicate", ["NSSubpredicates": []]), "NSSubpredicates"),
        (.object("NSCompoundPredicate", ["NSCompoundPredicateType": 1]), "NSSubpredicates"),
        (
            .object(
                "NSCompoundPredicate",
                ["NSCompoundPredicateType": 0, "NSSubpredicates": [truth, truth]]
            ), "NSSubpredicates"
        ),
        (
            .object(
                "NSCompoundPredicate",
                ["NSCompoundPredicateType": 1, "NSSubpredicates": [7]]
            ), "NSSubpredicates"
        ),
        (.object("NSComparisonPredicate"), "NSPredicateOperator"),
        (comparison([:]), "the operator -1 of a comparison is not known"),
        (comparison(["NSOperatorType": 77]), "the operator 77 of a comparison is not known"),
        (comparison(["NSOperatorType": 11]), "a comparison calls a method of the program's"),
        (
            .object(
                "NSComparisonPredicate",
                ["NSPredicateOperator": .object("NSPredicateOperator", ["NSOperatorType": 4])]
            ), "NSLeftExpression"
        ),
    ]

    @Test(arguments: predicates.indices)
    func damagedPredicatesAreRefused(_ index: Int) throws {
        let (crafted, reason) = Self.predicates[index]
        let object = try crafted.archived()
        let error = #expect(throws: ArchiveError.self) {
            try PredicateArchiveReader(object.archive).predicate(object)
        }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    private static let expressions: [(CraftedValue, String)] = [
        (.object("NSBlockExpression"), "expressions of class NSBlockExpression are not known"),
        (.object("NSKeyPathSpecifierExpression"), "NSKeyPath"),
        (.object("NSKeyPathExpression"), "NSArguments"),
        (.object("NSVariableExpression"), "NSVariable"),
        (
            .object("NSConstantValueExpression", ["NSConstantValueClassName": "Thing"]),
            "the class Thing stands for a value"
        ),
        (.object("NSFunctionExpression"), "NSSelectorName"),
        (
            .object("NSFunctionExpression", ["NSSelectorName": "erase:", "NSArguments": [a]]),
            "the function erase: is not known"
        ),
        (
            .object("NSFunctionExpression", ["NSSelectorName": "abs:", "NSArguments": [a, a]]),
            "the function abs: is not known"
        ),
        (.object("NSAggregateExpression", ["NSCollection": ["a"]]), "NSCollection"),
        (.object("NSSetExpression", ["NSLeftExpression": a]), "NSRightExpression"),
        (
            .object("NSSetExpression", ["NSLeftExpression": a, "NSRightExpression": a]),
            "NSExpressionType"
        ),
        (
            .object(
                "NSSetExpression",
                ["NSLeftExpression": a, "NSRightExpression": a, "NSExpressionType": 13]
            ), "NSExpressionType"
        ),
        (.object("NSTernaryExpression"), "NSPredicate"),
        (.object("NSSubqueryExpression", ["NSSubpredicate": truth]), "NSVariable"),
        (.object("NSSubqueryExpression", ["NSVariable": "x"]), "NSVariable"),
    ]

    @Test(arguments: expressions.indices)
    func damagedExpressionsAreRefused(_ index: Int) throws {
        let (crafted, reason) = Self.expressions[index]
        let object = try crafted.archived()
        let error = #expect(throws: ArchiveError.self) {
            try PredicateArchiveReader(object.archive).expression(object)
        }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    private static let otherShapes: [(CraftedValue, String)] = [
        (.object("NSKeyPathExpression", ["NSArguments": [a]]), "a"),
        (
            .object(
                "NSConstantValueExpression",
                ["NSConstantValue": .object("NSNull")]
            ), "nil"
        ),
        (
            .object(
                "NSSubqueryExpression",
                [
                    "NSVariable": .object("NSVariableExpression", ["NSVariable": "x"]),
                    "NSPredicate": truth, "NSCollectionExpression": a,
                ]
            ), "SUBQUERY(a, $x, TRUEPREDICATE)"
        ),
        (
            .object(
                "NSSubqueryExpression",
                [
                    "NSVariable": .object("NSMutableString", ["NS.string": "x"]),
                    "NSSubpredicate": comparison(["NSOperatorType": 4]), "NSCollection": a,
                ]
            ), "SUBQUERY(a, $x, a == a)"
        ),
        (
            .object(
                "NSFetchRequestExpression",
                ["NSFRExpression": a, "NSMOCExpression": a]
            ), "FETCH(a, a, NO)"
        ),
    ]

    @Test(arguments: otherShapes.indices)
    func expressionsOfOtherShapesAreRead(_ index: Int) throws {
        let (crafted, printed) = Self.otherShapes[index]
        let object = try crafted.archived()
        let expression = try PredicateArchiveReader(object.archive).expression(object)
        #expect(expression.description == printed)
    }

    @Test func nestingThatIsTooDeepIsRefused() throws {
        var deep = Self.truth
        for _ in 0..<300 {
            deep = .object(
                "NSCompoundPredicate",
                ["NSCompoundPredicateType": 0, "NSSubpredicates": [deep]]
            )
        }
        let object = try deep.archived()
        let error = #expect(throws: ArchiveError.self) {
            try PredicateArchiveReader(object.archive).predicate(object)
        }
        #expect(error?.reason.contains("nested too deep") == true)
    }

    // MARK: Sort descriptors

    private func descriptors(_ elements: [CraftedValue]) throws -> [NSSortDescriptor] {
        let list = try CraftedValue.list(elements).archived()
        return try PredicateArchiveReader(list.archive).sortDescriptors(list)
    }

    @Test func sortDescriptorsHaveDefaults() throws {
        let read = try descriptors([.object("NSSortDescriptor", ["NSKey": "a"])])
        #expect(read == [NSSortDescriptor(key: "a", ascending: true)])
    }

    @Test func damagedSortDescriptorsAreRefused() throws {
        let selected = CraftedValue.object("NSSortDescriptor", ["NSSelector": "shuffle:"])
        let error = #expect(throws: ArchiveError.self) { try descriptors([selected]) }
        #expect(error?.reason == "the comparison shuffle: is not known")
        for element in [Self.a, "a"] as [CraftedValue] {
            let error = #expect(throws: ArchiveError.self) { try descriptors([element]) }
            #expect(error?.reason.contains("NS.objects") == true)
        }
    }
}
