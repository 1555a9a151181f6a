import CoreData
import TestSupport
import Testing

/// The parts of predicates, expressions and sort descriptors, and what they give.
@Suite struct PredicateMemberTests {
    @Test func comparisonsKnowTheirParts() throws {
        let predicate = try #require(
            NSPredicate(format: "ANY tags.label BEGINSWITH[cd] %@", "x") as? NSComparisonPredicate
        )
        #expect(predicate.predicateOperatorType == .beginsWith)
        #expect(predicate.comparisonPredicateModifier == .any)
        #expect(predicate.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(predicate.leftExpression.expressionType == .keyPath)
        #expect(predicate.leftExpression.keyPath == "tags.label")
        #expect(predicate.rightExpression.constantValue as? String == "x")
        let made = NSComparisonPredicate(
            leftExpression: predicate.leftExpression,
            rightExpression: predicate.rightExpression,
            modifier: .any,
            type: .beginsWith,
            options: [.caseInsensitive, .diacriticInsensitive]
        )
        #expect(made == predicate)
    }

    @Test(arguments: StoreKind.allCases)
    func hashableConstantsCountAsWhatTheyHold(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "N", "age": 3])
            let name: AnyHashable = "N", age: AnyHashable = Int16(3)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                for predicate in [
                    NSPredicate(format: "name IN %@", [name] as [Any]),
                    NSPredicate(format: "name IN %@", [name] as [AnyHashable]),
                    NSPredicate(format: "name IN %@", Set([name]) as NSSet),
                    NSPredicate(format: "age == %@ && name == %@", argumentArray: [age, name]),
                    NSComparisonPredicate(
                        leftExpression: NSExpression(forKeyPath: "age"),
                        rightExpression: NSExpression(forConstantValue: age),
                        modifier: .direct,
                        type: .equalTo
                    ),
                ] {
                    request.predicate = predicate
                    #expect(try context.fetch(request) == [person], "\(predicate) \(isSaved)")
                }
            }
        }
    }

    /// Clients put formats together of what expressions print.
    @Test func aKeyPathThatBeginsWithAVariableIsPrintedAsItIs() {
        let comparison = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "$tag.label"),
            rightExpression: NSExpression(forConstantValue: "x"),
            modifier: .direct,
            type: .equalTo
        )
        #expect(comparison.predicateFormat == "$tag.label == \"x\"")
        let format = "SUBQUERY(tags, $tag, \(comparison.predicateFormat)).@count > 0"
        let tagged: [String: Any] = ["tags": [["label": "x"]]]
        #expect(NSPredicate(format: format).evaluate(with: tagged as NSDictionary))
    }

    @Test func expressionsKnowTheirParts() {
        let path = NSExpression(forKeyPath: "age")
        let sum = NSExpression(forFunction: "sum:", arguments: [path])
        #expect(sum.expressionType == .function && sum.function == "sum:")
        #expect(sum.arguments == [path])
        let variable = NSExpression(forVariable: "X")
        #expect(variable.expressionType == .variable && variable.variable == "X")
        let list = NSExpression(forAggregate: [path, NSExpression(forConstantValue: 1)])
        #expect(list.expressionType == .aggregate)
        #expect((list.collection as? [NSExpression])?.count == 2)
        #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
    }

    @Test func expressionsAreEvaluatedWithAnObjectAndVariables() {
        let object: NSDictionary = ["age": 3, "list": [1, 2, 6]]
        func value(_ format: String, _ variables: NSMutableDictionary? = nil) -> Int? {
            NSExpression(format: format).expressionValue(with: object, context: variables) as? Int
        }
        #expect(value("age + 4") == 7 && value("sum:(list)") == 9 && value("list.@max.self") == 6)
        #expect(value("age * $N", ["N": 5]) == 15)
        #expect(value("TERNARY(age > 2, 1, 0)") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func boundsAndListsMayBeArraysOfExpressions(kind: StoreKind) throws {
        try withContext(kind) { context in
            for age in [1, 3, 5, 7] { context.make("Person", ["name": "\(age)", "age": age]) }
            try context.save()
            let list = [3, 5].map { NSExpression(forConstantValue: $0) }
            let age = NSExpression(forKeyPath: "age")
            for operation in [NSComparisonPredicate.Operator.between, .in] {
                let built = NSComparisonPredicate(
                    leftExpression: age,
                    rightExpression: NSExpression(forConstantValue: list),
                    modifier: .direct,
                    type: operation
                )
                let word = operation == .in ? "IN" : "BETWEEN"
                for predicate in [built, NSPredicate(format: "age \(word) %@", list)] {
                    let found = try context.all("Person", sortedBy: "age", where: predicate)
                    #expect(found.map { $0.text("name") } == ["3", "5"])
                    #expect(found.allSatisfy { predicate.evaluate(with: $0) })
                }
            }
        }
    }

    @Test func aPredicateOfNothingIsTrueOfEverything() throws {
        try withContext(.sqlite) { context in
            context.make("Tag")
            try context.save()
            #expect(try context.all("Tag", where: NSPredicate()).count == 1)
            #expect(NSPredicate().evaluate(with: nil))
        }
    }

    @Test func variablesAreSubstitutedInACopy() {
        let template = NSPredicate(format: "age > $LEAST")
        let predicate = template.withSubstitutionVariables(["LEAST": 2])
        #expect(predicate.evaluate(with: ["age": 3] as NSDictionary))
        #expect(!predicate.evaluate(with: ["age": 2] as NSDictionary))
        #expect(template == NSPredicate(format: "age > $LEAST"))
        let listed = NSPredicate(format: "age == %@ OR %K == 9", argumentArray: [3, "age"])
        #expect(listed.evaluate(with: ["age": 9] as NSDictionary))
    }

    @Test func descriptorsSortByKeyOrComparator() {
        let people: NSArray = [["name": "b"], ["name": "A"], ["name": "c"]]
        func names(_ descriptor: NSSortDescriptor) -> [String] {
            (people.sortedArray(using: [descriptor]) as? [[String: String]])?
                .compactMap { $0["name"] } ?? []
        }
        let plain = NSSortDescriptor(key: "name", ascending: true)
        #expect(plain.key == "name" && plain.ascending && names(plain) == ["A", "b", "c"])
        #expect(names(NSSortDescriptor(key: "name", ascending: false)) == ["c", "b", "A"])
        let reversed = NSSortDescriptor(key: "name", ascending: true) { left, right in
            switch ("\(left)".lowercased(), "\(right)".lowercased()) {
            case (let left, let right) where left > right: .orderedAscending
            case (let left, let right) where left < right: .orderedDescending
            default: .orderedSame
            }
        }
        #expect(names(reversed) == ["c", "b", "A"])
    }

    @Test func equalCollectionsHaveTheirElementsAsOften() {
        let predicate = NSPredicate(format: "%@ == %@", [1, 1, 2], [1, 2, 2])
        #expect(!predicate.evaluate(with: nil))
        #expect(NSPredicate(format: "%@ == %@", [1, 2, 2], [2, 1, 2]).evaluate(with: nil))
    }
}
