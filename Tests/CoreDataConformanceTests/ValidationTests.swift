import CoreData
import TestSupport
import Testing

@Suite struct ValidationTests {
    /// An entity with a rule of each kind.
    private static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.managedObjectClassName = "NSManagedObject"
        func attribute(_ name: String, _ type: NSAttributeType, _ rules: [String]) {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.setValidationPredicates(
                rules.map { NSPredicate(format: $0) },
                withValidationWarnings: nil
            )
            entity.properties.append(attribute)
        }
        attribute("number", .integer32AttributeType, ["SELF >= 2", "SELF <= 5"])
        attribute("ratio", .doubleAttributeType, ["SELF >= 0.5", "SELF <= 1.5"])
        attribute("text", .stringAttributeType, ["length >= 2", "length <= 4"])
        attribute("code", .stringAttributeType, ["SELF MATCHES \"[A-Z]+\""])
        let part = RulesModel.entity("Part", [:])
        RulesModel.relate(entity, "parts", .nullifyDeleteRule, 3, part, "item", 1)
        let parts = entity.relationshipsByName["parts"]
        parts?.minCount = 2
        let model = NSManagedObjectModel()
        model.entities = [entity, part]
        return model
    }

    private func code(
        _ kind: StoreKind,
        _ values: [String: Any]
    ) throws -> (code: Int?, key: String?) {
        try withContext(kind, model: Self.model()) { context in
            context.make("Item", values)
            let error = caughtError(context.save)
            return (error?.code, error?.userInfo[NSValidationKeyErrorKey] as? String)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func missingValuesAreFound(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person")
            let error = try #require(caughtError(context.save))
            #expect(error.domain == NSCocoaErrorDomain)
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === person)
            #expect(errorCode { try person.validateForInsert() } == 1570)
            person.setValue("Ann", forKey: "name")
            try context.save()
            person.setValue(nil, forKey: "name")
            #expect(errorCode { try person.validateForUpdate() } == 1570)
            #expect(errorCode(context.save) == 1570)
            context.rollback()
            #expect(person.text("name") == "Ann")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func severalErrorsComeAsOne(kind: StoreKind) throws {
        try withContext(kind) { context in
            context.make("Person")
            context.make("Department")
            let error = try #require(caughtError(context.save))
            #expect(error.code == NSValidationMultipleErrorsError)
            let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
            #expect(details.map(\.code) == [1570, 1570])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rangesLengthsAndPatternsAreChecked(kind: StoreKind) throws {
        let cases: [(String, Any, Int?)] = [
            ("number", 1, NSValidationNumberTooSmallError),
            ("number", 6, NSValidationNumberTooLargeError), ("number", 5, nil),
            ("ratio", 0.25, NSValidationNumberTooSmallError),
            ("ratio", 2.0, NSValidationNumberTooLargeError), ("ratio", 1.0, nil),
            ("text", "a", NSValidationStringTooShortError),
            ("text", "abcde", NSValidationStringTooLongError), ("text", "ab", nil),
            ("code", "a", NSValidationStringPatternMatchingError), ("code", "AB", nil),
        ]
        for (key, value, expected) in cases {
            let found = try code(kind, [key: value])
            #expect(found.code == expected, "\(key) = \(value)")
            #expect(found.key == (expected == nil ? nil : key))
        }
    }

    @Test(arguments: StoreKind.allCases, [0, 1, 2, 3, 4])
    func countsAreChecked(kind: StoreKind, count: Int) throws {
        try withContext(kind, model: Self.model()) { context in
            let item = context.make("Item")
            for _ in 0..<count { context.make("Part", ["item": item]) }
            let expected: Int? = switch count {
            case 1: NSValidationRelationshipLacksMinimumCountError
            case 4: NSValidationRelationshipExceedsMaximumCountError
            default: nil
            }
            #expect(errorCode(context.save) == expected)
        }
    }
}
