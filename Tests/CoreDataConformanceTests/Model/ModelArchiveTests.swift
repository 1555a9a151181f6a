import CoreData
import TestSupport
import Testing

/// Models and their parts in archives of Foundation's archiver.
@Suite struct ModelArchiveTests {
    private func archived<Object: NSObject & NSCoding>(_ object: Object) throws -> Object {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: object,
            requiringSecureCoding: true
        )
        return try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
        )
    }

    @Test func aModelComesBackWhole() throws {
        let model = SampleModel.make()
        let people = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        people.predicate = NSPredicate(format: "age > $LEAST")
        people.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        people.fetchLimit = 7
        model.setFetchRequestTemplate(people, forName: "Older")
        model.setEntities(
            [try #require(model.entitiesByName["Tag"])],
            forConfigurationName: "Labels"
        )
        model.versionIdentifiers = ["1.2", "b"]
        model.localizationDictionary = ["Entity/Person": "Mensch"]
        let copy = try archived(model)
        #expect(copy == model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.configurations == ["Labels"])
        #expect(copy.entities(forConfigurationName: "Labels")?.map(\.name) == ["Tag"])
        #expect(copy.versionIdentifiers == ["1.2", "b"])
        #expect(copy.localizationDictionary == ["Entity/Person": "Mensch"])
        let template = try #require(
            copy.fetchRequestFromTemplate(
                withName: "Older",
                substitutionVariables: ["LEAST": 30]
            )
        )
        #expect(template.entity === copy.entitiesByName["Person"])
        #expect(template.predicate == NSPredicate(format: "age > 30"))
        #expect(template.fetchLimit == 7)
        #expect(template.sortDescriptors?.first?.ascending == false)
        for entity in copy.entities {
            for relationship in entity.relationshipsByName.values {
                let original = model.entitiesByName[entity.name ?? ""]?
                    .relationshipsByName[relationship.name]
                #expect(
                    relationship.destinationEntity?.name == original?.destinationEntity?.name
                )
                #expect(relationship.destinationEntity?.managedObjectModel === copy)
                #expect(
                    relationship.inverseRelationship?.name == original?.inverseRelationship?.name
                )
                #expect(relationship.deleteRule == original?.deleteRule)
            }
        }
        #expect(copy.entitiesByName["Employee"]?.superentity === copy.entitiesByName["Person"])
    }

    /// A model out of an archive opens the stores of the one that went in, and can be changed.
    @Test func aModelOutOfAnArchiveWorks() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Employee", ["name": "Ada", "age": 36])
                try context.save()
            }
            let model = try archived(stack.coordinator.managedObjectModel)
            model.entitiesByName["Tag"]?.userInfo = ["note": "changed"]
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url,
                options: [NSReadOnlyPersistentStoreOption: true]
            )
            let other = coordinator.makeContext()
            try other.onQueue { () throws -> Void in
                #expect(try other.only("Person").integer("age") == 36)
            }
        }
    }

    @Test func attributesComeBack() throws {
        let attribute = NSAttributeDescription()
        attribute.name = "price"
        attribute.attributeType = .decimalAttributeType
        attribute.defaultValue = NSDecimalNumber(string: "1.25")
        attribute.isOptional = false
        attribute.isIndexed = true
        attribute.userInfo = ["note": "gross", "list": [1, 2]]
        attribute.versionHashModifier = "2"
        attribute.renamingIdentifier = "cost"
        attribute.preservesValueInHistoryOnDeletion = true
        attribute.setValidationPredicates(
            [NSPredicate(format: "SELF > 0")],
            withValidationWarnings: ["positive"]
        )
        let copy = try archived(attribute)
        #expect(copy.name == "price")
        #expect(copy.attributeType == .decimalAttributeType)
        #expect(copy.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
        #expect(!copy.isOptional && copy.isIndexed)
        #expect(copy.preservesValueInHistoryOnDeletion)
        #expect(copy.userInfo?["note"] as? String == "gross")
        #expect((copy.userInfo?["list"] as? NSArray)?.count == 2)
        #expect(copy.versionHashModifier == "2" && copy.renamingIdentifier == "cost")
        #expect(copy.validationPredicates == attribute.validationPredicates)
        #expect(copy.validationWarnings as? [String] == ["positive"])
        #expect(copy.versionHash == attribute.versionHash)
        let date = Date(timeIntervalSinceReferenceDate: 5)
        func copied<Value>(_ value: Value) throws -> Value? {
            attribute.defaultValue = value
            return try archived(attribute).defaultValue as? Value
        }
        #expect(try copied("text") == "text")
        #expect(try copied(date) == date)
        #expect(try copied(Data([1, 2])) == Data([1, 2]))
        #expect(try copied(7) == 7)
        #expect(try copied(true) == true)
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func whatLaterSystemsAddComesBack() throws {
        let attribute = NSAttributeDescription()
        attribute.name = "price"
        attribute.type = .decimal
        attribute.allowsCloudEncryption = true
        let copy = try archived(attribute)
        #expect(copy.type == .decimal && copy.allowsCloudEncryption)
        let column = NSExpressionDescription()
        column.name = "sum"
        column.resultType = .integer64
        #expect(column.expressionResultType == .integer64AttributeType)
        #expect(try archived(column).resultType == .integer64)
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func checksumsAndCompositesComeBack() throws {
        let model = SampleModel.make()
        #expect(try archived(model).versionChecksum == model.versionChecksum)
        let derived = NSDerivedAttributeDescription()
        derived.name = "folded"
        derived.attributeType = .stringAttributeType
        let composite = NSCompositeAttributeDescription()
        composite.name = "place"
        composite.elements = [derived]
        let copy = try archived(composite)
        #expect(copy.attributeType == .compositeAttributeType)
        #expect(copy.elements.first is NSDerivedAttributeDescription)
    }

    @Test func otherPropertiesComeBack() throws {
        let derived = NSDerivedAttributeDescription()
        derived.name = "folded"
        derived.attributeType = .stringAttributeType
        derived.derivationExpression = NSExpression(format: "canonical:(name)")
        let derivedCopy = try archived(derived)
        #expect(derivedCopy.derivationExpression == derived.derivationExpression)
        #expect(derivedCopy.attributeType == .stringAttributeType)

        let fetched = NSFetchedPropertyDescription()
        fetched.name = "same"
        fetched.fetchRequest = NSFetchRequest(entityName: "Person")
        fetched.fetchRequest?.predicate = NSPredicate(format: "name == $FETCH_SOURCE.name")
        let fetchedCopy = try archived(fetched)
        #expect(fetchedCopy.fetchRequest?.entityName == "Person")
        #expect(fetchedCopy.fetchRequest?.predicate == fetched.fetchRequest?.predicate)

        let column = NSExpressionDescription()
        column.name = "sum"
        column.expression = NSExpression(format: "sum:(age)")
        column.expressionResultType = .integer64AttributeType
        let columnCopy = try archived(column)
        #expect(columnCopy.expression == column.expression)
        #expect(columnCopy.expressionResultType == .integer64AttributeType)

        let plain = NSPropertyDescription()
        plain.name = "plain"
        plain.isTransient = true
        #expect(try archived(plain).isTransient)
    }

    /// Entities that were archived one by one find each other in a model.
    @Test func entitiesFindEachOtherInAModel() throws {
        let model = SampleModel.make()
        let copies = try model.entities.map { try archived($0) }
        let employee = try #require(copies.first { $0.name == "Employee" })
        #expect(employee.superentity == nil)
        #expect(employee.relationshipsByName["department"]?.destinationEntity == nil)
        let again = NSManagedObjectModel()
        again.entities = copies
        #expect(again == model)
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(employee.superentity?.name == "Person")
        #expect(
            employee.relationshipsByName["department"]?.destinationEntity
                === again.entitiesByName["Department"]
        )
    }

    @Test func indexesComeBack() throws {
        let name = NSAttributeDescription()
        name.name = "name"
        let upper = NSExpressionDescription()
        upper.name = "upper"
        upper.expression = NSExpression(format: "uppercase:(name)")
        let first = NSFetchIndexElementDescription(property: name, collationType: .rTree)
        first.isAscending = false
        let index = NSFetchIndexDescription(
            name: "byName",
            elements: [
                first, NSFetchIndexElementDescription(property: upper, collationType: .binary),
            ]
        )
        index.partialIndexPredicate = NSPredicate(format: "name != nil")
        let copy = try archived(index)
        #expect(copy.name == "byName")
        #expect(copy.partialIndexPredicate == index.partialIndexPredicate)
        #expect(copy.elements.map(\.propertyName) == ["name", "upper"])
        #expect(copy.elements.map(\.collationType) == [.rTree, .binary])
        #expect(copy.elements.map(\.isAscending) == [false, true])
        #expect((copy.elements[1].property as? NSExpressionDescription)?.expression != nil)
        #expect(copy.elements[0].indexDescription === copy)
        let element = try archived(first)
        #expect(element.propertyName == "name" && !element.isAscending)
    }

    @Test func requestsComeBack() throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        request.predicate = NSPredicate(format: "name BEGINSWITH %@", "A")
        request.sortDescriptors = [
            NSSortDescriptor(
                key: "name",
                ascending: true,
                selector: "localizedStandardCompare:" as Selector
            )
        ]
        request.fetchLimit = 5
        request.fetchOffset = 2
        request.fetchBatchSize = 20
        request.resultType = .dictionaryResultType
        request.includesSubentities = false
        request.returnsDistinctResults = true
        request.relationshipKeyPathsForPrefetching = ["department"]
        request.propertiesToFetch = ["name"]
        request.propertiesToGroupBy = ["name"]
        request.havingPredicate = NSPredicate(format: "name != nil")
        let copy = try archived(request)
        #expect(copy.entityName == "Person")
        #expect(copy.predicate == request.predicate)
        #expect(copy.sortDescriptors == request.sortDescriptors)
        #expect(copy.fetchLimit == 5 && copy.fetchOffset == 2 && copy.fetchBatchSize == 20)
        #expect(copy.resultType == .dictionaryResultType)
        #expect(!copy.includesSubentities && copy.returnsDistinctResults)
        #expect(copy.includesPendingChanges && copy.returnsObjectsAsFaults)
        #expect(copy.relationshipKeyPathsForPrefetching == ["department"])
        #expect(copy.propertiesToFetch as? [String] == ["name"])
        #expect(copy.propertiesToGroupBy as? [String] == ["name"])
        #expect(copy.havingPredicate == request.havingPredicate)
    }

    /// A typed request is read as one of any result type, as with Objective-C.
    @Test func aRequestOutOfAnArchiveFetches() throws {
        try withContext(.sqlite) { context in
            context.make("Tag", ["label": "a"])
            context.make("Tag", ["label": "b"])
            try context.save()
            let typed = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            typed.predicate = NSPredicate(format: "label == 'b'")
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: typed,
                requiringSecureCoding: true
            )
            let request = try #require(
                try NSKeyedUnarchiver.unarchivedObject(
                    ofClass: NSFetchRequest<any NSFetchRequestResult>.self,
                    from: data
                )
            )
            let found = try context.fetch(request) as? [NSManagedObject]
            #expect(found?.map { $0.text("label") } == ["b"])
        }
    }

    @Test func contextsKeepTheirSettings() throws {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.name = "main"
        context.transactionAuthor = "app"
        context.mergePolicy = NSMergePolicy.overwrite
        context.retainsRegisteredObjects = true
        context.propagatesDeletesAtEndOfEvent = false
        context.stalenessInterval = 4
        let copy = try archived(context)
        #expect(copy.concurrencyType == .mainQueueConcurrencyType)
        #expect(copy.name == "main" && copy.transactionAuthor == "app")
        #expect((copy.mergePolicy as? NSMergePolicy)?.mergeType == .overwriteMergePolicyType)
        #expect(copy.retainsRegisteredObjects && !copy.propagatesDeletesAtEndOfEvent)
        #expect(copy.stalenessInterval == 4)
        #expect(copy.shouldDeleteInaccessibleFaults)
    }
}
