import CoreData
import TestSupport
import Testing

@Suite struct ValidationTests {
    /// An entity with a rule of each kind, as the model editor writes it.
    private static func model() throws -> NSManagedObjectModel {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Rules-\(UUID().uuidString).xcdatamodel", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(contents.utf8).write(to: folder.appendingPathComponent("contents"))
        return try #require(NSManagedObjectModel(contentsOf: folder))
    }

    private static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
        sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        <entity name="Item">
        <attribute name="number" optional="YES" attributeType="Integer 32" minValueString="2" \
        maxValueString="5" usesScalarValueType="NO"/>
        <attribute name="ratio" optional="YES" attributeType="Double" minValueString="0.5" \
        maxValueString="1.5" usesScalarValueType="NO"/>
        <attribute name="text" optional="YES" attributeType="String" minValueString="2" \
        maxValueString="4"/>
        <attribute name="code" optional="YES" attributeType="String" \
        regularExpressionString="[A-Z]+"/>
        <relationship name="parts" optional="YES" toMany="YES" minCount="2" maxCount="3" \
        deletionRule="Nullify" destinationEntity="Part" inverseName="item" inverseEntity="Part"/>
        </entity>
        <entity name="Part">
        <relationship name="item" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Item" inverseName="parts" inverseEntity="Item"/>
        </entity>
        </model>
        """

    private func code(
        _ kind: StoreKind,
        _ values: [String: Any]
    ) throws -> (code: Int?, key: String?) {
        try withContext(kind, model: try Self.model()) { context in
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
        try withContext(kind, model: try Self.model()) { context in
            let item = context.make("Item")
            for _ in 0..<count { context.make("Part", ["item": item]) }
            let expected: Int? =
                switch count {
                case 1: NSValidationRelationshipLacksMinimumCountError
                case 4: NSValidationRelationshipExceedsMaximumCountError
                default: nil
                }
            #expect(errorCode(context.save) == expected)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRequiredToManyWithoutAMinimumMayBeEmpty(kind: StoreKind) throws {
        let model = SampleModel.make()
        model.entitiesByName["Department"]?.relationshipsByName["people"]?.isOptional = false
        try withContext(kind, model: model) { context in
            let department = context.make("Department", ["name": "Sales"])
            try department.validateForInsert()
            try context.save()
            let person = context.make("Person", ["name": "Ann", "department": department])
            try context.save()
            context.delete(person)
            try context.save()
            #expect(department.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRequiredToManyWithAMinimumMayNotBeEmpty(kind: StoreKind) throws {
        let model = SampleModel.make()
        let people = model.entitiesByName["Department"]?.relationshipsByName["people"]
        people?.isOptional = false
        people?.minCount = 1
        try withContext(kind, model: model) { context in
            let department = context.make("Department", ["name": "Sales"])
            let error = try #require(caughtError(context.save))
            #expect(error.code == NSValidationRelationshipLacksMinimumCountError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "people")
            context.make("Person", ["name": "Ann", "department": department])
            try context.save()
        }
    }
}
