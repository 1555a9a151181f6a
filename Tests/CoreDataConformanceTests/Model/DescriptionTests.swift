import CoreData
import TestSupport
import Testing

@Suite struct EntityDescriptionTests {
    @Test func aNewEntityHasApplesDefaults() {
        let entity = NSEntityDescription()
        #expect(entity.name == nil && !entity.isAbstract && entity.properties.isEmpty)
        #expect(entity.managedObjectClassName == "NSManagedObject")
        #expect(entity.subentities.isEmpty && entity.superentity == nil)
        #expect(entity.uniquenessConstraints.isEmpty && entity.userInfo?.isEmpty != false)
    }

    @Test func entitiesKnowTheirModelAndFamily() throws {
        let model = SampleModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let employee = try #require(model.entitiesByName["Employee"])
        let manager = try #require(model.entitiesByName["Manager"])
        #expect(person.managedObjectModel === model && manager.superentity === employee)
        #expect(person.subentitiesByName.mapValues(\.name) == ["Employee": "Employee"])
        #expect(manager.isKindOf(entity: person) && person.isKindOf(entity: person))
        #expect(!person.isKindOf(entity: manager))
        #expect(model.entitiesByName.keys.contains("Tag") && model.entities.count == 7)
    }

    @Test func propertiesComeByKindAndAreInherited() throws {
        let model = SampleModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let manager = try #require(model.entitiesByName["Manager"])
        #expect(Set(person.relationshipsByName.keys) == ["department", "tags", "friends"])
        #expect(person.attributesByName.count == 10 && person.propertiesByName.count == 13)
        #expect(manager.attributesByName["name"] != nil && manager.attributesByName["bonus"] != nil)
        #expect(person.attributesByName["bonus"] == nil)
        #expect(manager.relationshipsByName["tags"]?.destinationEntity?.name == "Tag")
    }

    @Test func relationshipsAreFoundByTheirDestination() throws {
        let model = SampleModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let department = try #require(model.entitiesByName["Department"])
        let song = try #require(model.entitiesByName["Song"])
        #expect(person.relationships(forDestination: department).map(\.name) == ["department"])
        #expect(person.relationships(forDestination: person).map(\.name) == ["friends"])
        #expect(person.relationships(forDestination: song).isEmpty)
    }

    @Test func aCopyIsIndependent() throws {
        let model = SampleModel.make()
        let tag = try #require(model.entitiesByName["Tag"])
        tag.userInfo = ["note": "x"]
        let copy = try #require(tag.copy() as? NSEntityDescription)
        copy.name = "Label"
        #expect(tag.name == "Tag" && copy.attributesByName["label"] != nil)
        #expect(copy.userInfo?["note"] as? String == "x")
        #expect(copy.attributesByName["label"] !== tag.attributesByName["label"])
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreMadeByTheEntitysName(kind: StoreKind) throws {
        try withContext(kind) { context in
            let entity = try #require(NSEntityDescription.entity(forEntityName: "Tag", in: context))
            #expect(NSEntityDescription.entity(forEntityName: "Nothing", in: context) == nil)
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            #expect(tag.entity === entity && tag.objectID.entity === entity && tag.isInserted)
            let other = NSManagedObject(entity: entity, insertInto: context)
            #expect(context.insertedObjects == [tag, other])
        }
    }
}

@Suite struct PropertyDescriptionTests {
    @Test func propertiesBelongToTheEntityThatDeclaresThem() throws {
        let model = SampleModel.make()
        let manager = try #require(model.entitiesByName["Manager"])
        let name = try #require(manager.propertiesByName["name"])
        #expect(name.entity.name == "Person" && !name.isOptional && !name.isTransient)
        #expect(manager.propertiesByName["nickname"]?.isTransient == true)
    }

    @Test func validationPredicatesKeepTheirWarnings() throws {
        let attribute = NSAttributeDescription()
        #expect(attribute.validationPredicates.isEmpty && attribute.validationWarnings.isEmpty)
        let predicate = NSPredicate(format: "SELF > 3")
        attribute.setValidationPredicates([predicate], withValidationWarnings: ["Too small."])
        #expect(attribute.validationPredicates == [predicate])
        #expect(attribute.validationWarnings.compactMap { $0 as? String } == ["Too small."])
        attribute.setValidationPredicates(nil, withValidationWarnings: nil)
        #expect(attribute.validationPredicates.isEmpty)
    }

    @Test func attributesHaveATypeAndWhatFollowsFromIt() {
        let attribute = NSAttributeDescription()
        #expect(attribute.attributeType == .undefinedAttributeType && attribute.isOptional)
        let classes: [(NSAttributeType, UInt, String?)] = [
            (.undefinedAttributeType, 0, nil), (.integer16AttributeType, 100, "NSNumber"),
            (.integer32AttributeType, 200, "NSNumber"), (.integer64AttributeType, 300, "NSNumber"),
            (.decimalAttributeType, 400, "NSDecimalNumber"),
            (.doubleAttributeType, 500, "NSNumber"), (.floatAttributeType, 600, "NSNumber"),
            (.stringAttributeType, 700, "NSString"), (.booleanAttributeType, 800, "NSNumber"),
            (.dateAttributeType, 900, "NSDate"), (.binaryDataAttributeType, 1000, "NSData"),
            (.UUIDAttributeType, 1100, "NSUUID"), (.URIAttributeType, 1200, "NSURL"),
            (.transformableAttributeType, 1800, nil),
        ]
        for (type, number, name) in classes {
            attribute.attributeType = type
            #expect(attribute.attributeType == type && type.rawValue == number)
            #expect(attribute.attributeValueClassName == name)
        }
        attribute.attributeValueClassName = "NSArray"
        attribute.valueTransformerName = "Mine"
        attribute.allowsExternalBinaryDataStorage = true
        let copy = attribute.copy() as? NSAttributeDescription
        #expect(copy?.attributeValueClassName == "NSArray" && copy?.valueTransformerName == "Mine")
        #expect(copy?.allowsExternalBinaryDataStorage == true && copy !== attribute)
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    @Test func typesOfLaterSystemsAreTheSameTypes() {
        let attribute = NSAttributeDescription()
        let types: [(NSAttributeDescription.AttributeType, NSAttributeType)] = [
            (.undefined, .undefinedAttributeType), (.integer16, .integer16AttributeType),
            (.integer32, .integer32AttributeType), (.integer64, .integer64AttributeType),
            (.decimal, .decimalAttributeType), (.double, .doubleAttributeType),
            (.float, .floatAttributeType), (.string, .stringAttributeType),
            (.boolean, .booleanAttributeType), (.date, .dateAttributeType),
            (.binaryData, .binaryDataAttributeType), (.uuid, .UUIDAttributeType),
            (.uri, .URIAttributeType), (.transformable, .transformableAttributeType),
        ]
        for (type, old) in types {
            attribute.type = type
            #expect(attribute.attributeType == old && attribute.type == type)
            #expect(NSAttributeDescription.AttributeType(rawValue: type.rawValue) == type)
        }
    }

    @Test func relationshipsAreToManyByTheirMaximum() throws {
        let relationship = NSRelationshipDescription()
        #expect(relationship.deleteRule == .nullifyDeleteRule && !relationship.isOrdered)
        #expect(relationship.destinationEntity == nil && relationship.inverseRelationship == nil)
        relationship.maxCount = 1
        #expect(!relationship.isToMany)
        for count in [0, 2, 10] {
            relationship.maxCount = count
            #expect(relationship.isToMany)
        }
        let model = SampleModel.make()
        let people = try #require(
            model.entitiesByName["Department"]?.relationshipsByName["people"]
        )
        #expect(people.inverseRelationship?.inverseRelationship === people)
        #expect(people.deleteRule == .cascadeDeleteRule && people.minCount == 0)
        let songs = model.entitiesByName["Playlist"]?.relationshipsByName["songs"]
        #expect(songs?.isOrdered == true && songs?.isToMany == true)
    }

    /// Clients write `property.userInfo?["limit"] = 3`.
    @Test func whatClientsAttachBeginsEmptyAndMayChangeWhileTheModelIsInUse() throws {
        let attribute = NSAttributeDescription(), entity = NSEntityDescription()
        attribute.userInfo?["key"] = "a"
        entity.userInfo?["key"] = "e"
        #expect(attribute.userInfo?["key"] as? String == "a")
        #expect(entity.userInfo?["key"] as? String == "e")
        let model = SampleModel.make()
        try withContext(.inMemory, model: model) { context in
            context.make("Tag")
            let tag = try #require(model.entitiesByName["Tag"])
            tag.userInfo?["key"] = "t"
            tag.attributesByName["label"]?.userInfo?["key"] = "l"
            #expect(tag.userInfo?["key"] as? String == "t")
            #expect(tag.attributesByName["label"]?.userInfo?["key"] as? String == "l")
        }
    }

    @Test func aCopiedRelationshipLeadsToTheSameEntity() throws {
        // Kept, for the descriptions refer to each other weakly.
        let model = SampleModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let department = try #require(person.relationshipsByName["department"])
        let copy = try #require(department.copy() as? NSRelationshipDescription)
        #expect(copy !== department)
        #expect(copy.destinationEntity === department.destinationEntity)
        #expect(copy.inverseRelationship === department.inverseRelationship)
        #expect(copy.inverseRelationship?.name == "people" && model.entities.count == 7)
    }

    /// As clients build models whose entities share what they have in common.
    @Test func copiesOfTwoInversesLeadToEachOther() throws {
        let person = NSEntityDescription(), pet = NSEntityDescription()
        person.name = "Person"
        pet.name = "Pet"
        let pets = NSRelationshipDescription(), owner = NSRelationshipDescription()
        pets.name = "pets"
        pets.destinationEntity = pet
        owner.name = "owner"
        owner.destinationEntity = person
        owner.maxCount = 1
        (pets.inverseRelationship, owner.inverseRelationship) = (owner, pets)
        let copies = [pets, owner].compactMap { $0.copy() as? NSRelationshipDescription }
        (person.properties, pet.properties) = ([copies[0]], [copies[1]])
        let model = NSManagedObjectModel()
        model.entities = [person, pet]
        try withContext(.sqlite, model: model) { context in
            let person = context.make("Person"), pet = context.make("Pet", ["owner": person])
            #expect(person.value(forKey: "pets") as? Set<NSManagedObject> == [pet])
            try context.save()
        }
    }

    @Test func deleteRulesHaveApplesNumbers() {
        let rules: [NSDeleteRule] = [
            .noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule,
        ]
        #expect(rules.map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test func modelsCopyAndMergeAndKnowTheirConfigurations() throws {
        let model = SampleModel.make()
        model.setEntities(
            model.entities.filter { $0.name == "Tag" },
            forConfigurationName: "Few"
        )
        #expect(model.configurations.contains("Few"))
        #expect(model.entities(forConfigurationName: "Few")?.map(\.name) == ["Tag"])
        #expect(model.entities(forConfigurationName: nil)?.count == 7)
        #expect(model.entities(forConfigurationName: "None") == nil)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        copy.entitiesByName["Tag"]?.name = "Label"
        #expect(model.entitiesByName["Tag"] != nil && copy.entitiesByName["Tag"] == nil)
        let merged = try #require(
            NSManagedObjectModel(byMerging: [SampleModel.make(), RulesModel.make()])
        )
        #expect(merged.entities.count == 12 && merged.entitiesByName["Book"] != nil)
    }
}
