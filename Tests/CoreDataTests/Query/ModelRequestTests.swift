import TestSupport
import Testing

@testable import CoreData

/// What models word as format strings: templates, fetched properties, derivations, limits.
@Suite struct ModelRequestTests {
    private func model() throws -> NSManagedObjectModel {
        try readModel(
            """
            <model>
              <entity name="Thing">
                <attribute name="name" optional="YES" attributeType="String" minValueString="2"
                           regularExpressionString="[A-Z].*"/>
                <attribute name="age" optional="YES" attributeType="Integer 32" minValueString="0"
                           maxValueString="150"/>
                <fetchedProperty name="namesakes" optional="YES">
                  <fetchRequest name="fetchedPropertyFetchRequest" entity="Thing"
                    predicateString="name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE"/>
                </fetchedProperty>
              </entity>
              <fetchRequest name="older" entity="Thing" predicateString="age &gt; $AGE"
                            fetchLimit="5"/>
              <fetchRequest name="all" entity="Thing"/>
            </model>
            """
        )
    }

    @Test(arguments: TestSupport.StoreKind.allCases)
    func templatesAreExecuted(_ kind: TestSupport.StoreKind) throws {
        let stack = try TestStack(kind, model: try model())
        let model = stack.coordinator.managedObjectModel
        #expect(Set(model.fetchRequestTemplatesByName.keys) == ["older", "all"])
        let all = model.fetchRequestTemplate(forName: "all")
        #expect(all?.entity === model.entitiesByName["Thing"])
        #expect(model.fetchRequestTemplate(forName: "none") == nil)
        let context = stack.makeContext()
        try context.performAndWait {
            for (name, age) in [("Ada", 36), ("Bea", 20), ("Ada", 60)] {
                let thing = NSEntityDescription.insertNewObject(
                    forEntityName: "Thing",
                    into: context
                )
                thing.setValue(name, forKey: "name")
                thing.setValue(age, forKey: "age")
            }
            try context.save()
            let request = try #require(
                model.fetchRequestFromTemplate(
                    withName: "older",
                    substitutionVariables: ["AGE": 30]
                )
            )
            #expect(request.fetchLimit == 5)
            let found = try context.fetch(request)
            #expect(found.count == 2)
            let ada = try #require(found.first as? NSManagedObject)
            let namesakes = try #require(ada.value(forKey: "namesakes") as? [NSManagedObject])
            #expect(namesakes.map { $0.value(forKey: "age") as? Int } == [60])
            #expect(found.last as? NSManagedObject === namesakes.first)
            let count = NSFetchRequestExpression.expression(
                forFetch: NSExpression(forConstantValue: request),
                context: NSExpression(forConstantValue: context),
                countOnly: true
            )
            #expect(count.expressionValue(with: nil, context: nil) as? Int == 2)
        }
        withExtendedLifetime(stack) {}
    }

    @Test func templatesAreKeptAndCopied() throws {
        let model = SampleModel.make()
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = model.entitiesByName["Person"]
        request.predicate = NSPredicate(format: "age > $AGE")
        model.setFetchRequestTemplate(request, forName: "older")
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let template = try #require(copy.fetchRequestTemplate(forName: "older"))
        #expect(template.entity === copy.entitiesByName["Person"])
        #expect(template.predicate.map { $0 == NSPredicate(format: "age > $AGE") } == true)
        model.setFetchRequestTemplate(nil, forName: "older")
        #expect(model.fetchRequestTemplatesByName.isEmpty)
    }

    @Test(arguments: [
        "<fetchRequest name=\"a\" entity=\"T\" predicateString=\"age &gt;\"/>",
        """
        <entity name="U"><attribute name="a" attributeType="Integer 64" derived="YES" optional="YES"
        derivationExpression="sum:("/></entity>
        """,
    ])
    func malformedFormatsAreRefused(_ element: String) {
        let text = message {
            _ = try readModel("<model><entity name=\"T\"/>\(element)</model>")
        }
        #expect(text.contains("Unable to parse the format string"), "\(text)")
    }

    @Test func limitsAreShownAsPredicates() throws {
        let thing = try #require(try model().entitiesByName["Thing"])
        let name = try #require(thing.attributesByName["name"])
        #expect(
            name.validationPredicates.map(\.formatString)
                == ["length >= 2", "SELF MATCHES \"[A-Z].*\""]
        )
        #expect(name.validationPredicates.allSatisfy { $0.evaluate(with: "Ada") })
        #expect(!name.validationPredicates.contains { $0.evaluate(with: "a") })
        let age = try #require(thing.attributesByName["age"])
        #expect(age.validationPredicates.map(\.formatString) == ["SELF >= 0", "SELF <= 150"])
        #expect(age.validationWarnings.compactMap { $0 as? Int } == [1620, 1610])
        age.setValidationPredicates(
            [NSPredicate(format: "SELF != 7")],
            withValidationWarnings: ["not seven"]
        )
        #expect(age.validationPredicates.count == 1)
    }

    @Test(arguments: TestSupport.StoreKind.allCases)
    func unknownKeysThrowWithPendingChanges(_ kind: TestSupport.StoreKind) throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext()
        context.performAndWait {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue("Ada", forKey: "name")
            for format in [
                "nope == 1", "department.nope == 1", "name MATCHES '('", "age > $X",
                "name.nope == 1", "'abc'.nope == 1", "department.name.nope == 1",
                "tags.label.nope == 1", "FETCH(1, 2, YES) == 1",
            ] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.predicate = NSPredicate(format: format)
                #expect(throws: QueryError.self) { try context.fetch(request) }
                request.affectedStores = []
                #expect(throws: QueryError.self) { try context.fetch(request) }
            }
        }
        withExtendedLifetime(stack) {}
    }

    @Test(arguments: TestSupport.StoreKind.allCases)
    func entitiesCompareInAllStores(_ kind: TestSupport.StoreKind) throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext()
        try context.performAndWait {
            for name in ["Person", "Employee", "Manager", "Manager"] {
                NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                    .setValue(name, forKey: "name")
            }
            let entity = try #require(
                stack.coordinator.managedObjectModel.entitiesByName["Manager"]
            )
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "entity == %@", entity)
            #expect(try context.count(for: request) == 2)
            try context.save()
            #expect(try context.count(for: request) == 2)
            request.predicate = NSPredicate(format: "entity IN %@", [entity])
            #expect(try context.fetch(request).allSatisfy { $0.entity === entity })
        }
        withExtendedLifetime(stack) {}
    }
}
