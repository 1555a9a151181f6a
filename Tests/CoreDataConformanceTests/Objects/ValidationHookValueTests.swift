import CoreData
import TestSupport
import Testing

/// An object that has all its values as somebody else sees fit.
final class Ruled: NSManagedObject {
    var asked: [String] = []
    var replacements: [String: Any] = [:]

    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        asked.append(key)
        if let replacement = replacements[key] {
            value = replacement is NSNull ? nil : replacement
        }
        try super.validateValue(&value, forKey: key)
    }
}

/// One that leaves out what its superclass checks.
final class Unruled: NSManagedObject {
    override func validateForInsert() throws {}
    override func validateForUpdate() throws {}
}

@Suite struct ValidationHookValueTests {
    private func model(_ type: NSManagedObject.Type) -> NSManagedObjectModel {
        let ruled = RulesModel.entity(
            "Ruled",
            [
                "name": .stringAttributeType, "content": .transformableAttributeType,
                "size": .doubleAttributeType,
            ]
        )
        ruled.managedObjectClassName = NSStringFromClass(type)
        let group = RulesModel.entity("Group", ["name": .stringAttributeType])
        RulesModel.relate(group, "members", .nullifyDeleteRule, 0, ruled, "group", 1)
        let upper = NSDerivedAttributeDescription()
        upper.name = "upper"
        upper.attributeType = .stringAttributeType
        upper.isOptional = true
        upper.derivationExpression = NSExpression(format: "uppercase:(name)")
        ruled.properties.append(upper)
        let model = NSManagedObjectModel()
        model.entities = [ruled, group]
        return model
    }

    private func withRuled(_ body: (NSManagedObjectContext, Ruled) throws -> Void) throws {
        try withContext(.sqlite, model: model(Ruled.self)) { context throws in
            let object = context.make("Ruled", ["name": "a"])
            try body(context, try #require(object as? Ruled))
        }
    }

    @Test func valuesOfAllKindsMayBeReplaced() throws {
        try withRuled { context, ruled throws in
            let group = context.make("Group", ["name": "g"])
            ruled.replacements = [
                "name": "b", "content": ["x"] as NSArray, "size": 2.5, "group": group,
            ]
            try context.save()
            context.refreshAllObjects()
            #expect(ruled.text("name") == "b" && ruled.value(forKey: "size") as? Double == 2.5)
            #expect(ruled.value(forKey: "content") as? [String] == ["x"])
            #expect(ruled.one("group") === group && group.set("members") == [ruled])
            ruled.replacements = ["content": NSNull(), "group": NSNull(), "size": NSNull()]
            ruled.setValue(group, forKey: "group")
            ruled.setValue("c", forKey: "name")
            try context.save()
            context.refreshAllObjects()
            #expect(ruled.text("name") == "c" && ruled.value(forKey: "content") == nil)
            #expect(ruled.value(forKey: "size") == nil)
        }
    }

    @Test func valuesThatStayAreNoChanges() throws {
        try withRuled { context, ruled throws in
            let group = context.make("Group", ["name": "g"])
            ruled.setValue(group, forKey: "group")
            ruled.setValue(["x"] as NSArray, forKey: "content")
            ruled.replacements = ["content": ["x"] as NSArray, "group": group, "name": "a"]
            try context.save()
            #expect(!context.hasChanges && ruled.one("group") === group)
        }
    }

    /// Reading an untouched relationship would cost a query for each save.
    @Test func untouchedRelationshipsAreNotAskedAbout() throws {
        try withRuled { context, ruled throws in
            let group = context.make("Group", ["name": "g"])
            ruled.setValue(group, forKey: "group")
            try context.save()
            ruled.asked = []
            ruled.setValue("b", forKey: "name")
            try context.save()
            #expect(Set(ruled.asked) == ["name", "content", "size"])
        }
    }

    @Test func nullsAreChecked() throws {
        try withRuled { context, ruled throws in
            let name = ruled.entity.propertiesByName["name"]
            #expect(name?.isOptional == true)
            var value: Any? = NSNull()
            try ruled.validateValue(&value, forKey: "name")
            #expect(value is NSNull)
        }
    }

    @Test func derivedValuesAreNotTheClientsToCheck() throws {
        try withRuled { _, ruled throws in
            var value: Any? = 7
            try ruled.validateValue(&value, forKey: "upper")
            #expect(value as? Int == 7)
        }
    }

    @Test func predicatesJudgeValuesThatAreThere() throws {
        let model = model(Ruled.self)
        model.entitiesByName["Ruled"]?.propertiesByName["name"]?.setValidationPredicates(
            [NSPredicate(format: "length >= 2")],
            withValidationWarnings: ["too short"]
        )
        try withContext(.sqlite, model: model) { context throws in
            let object = context.make("Ruled", ["name": "a"])
            #expect(caughtError { try context.save() } != nil)
            object.setValue(nil, forKey: "name")
            try context.save()
            #expect(try context.number("Ruled") == 1)
        }
    }

    /// The store looks for the rows that a save relates others to, whatever was validated.
    @Test func aRowThatOthersHaveDeletedIsRefusedWithoutValidation() throws {
        try withStack(.sqlite, model: model(Unruled.self)) { stack throws in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let group = context.make("Group", ["name": "g"])
                try context.save()
                try other.onQueue {
                    other.delete(other.object(with: group.objectID))
                    try other.save()
                }
                let object = context.make("Ruled", ["name": "a"])
                object.setValue(group, forKey: "group")
                let error = caughtError { try context.save() }
                let uri = group.objectID.uriRepresentation().absoluteString
                #expect(error?.localizedDescription.contains(uri) == true)
                #expect(context.insertedObjects == [object])
                object.setValue(nil, forKey: "group")
                try context.save()
                #expect(try context.number("Group") == 0)
            }
        }
    }

    /// Where a class leaves the check out, the save refuses what no row may say.
    @Test func aRequiredToOneToADeletedObjectIsRefusedWithoutValidation() throws {
        let model = model(Unruled.self)
        let relationship = model.entitiesByName["Ruled"]?.relationshipsByName["group"]
        relationship?.isOptional = false
        model.entitiesByName["Group"]?.relationshipsByName["members"]?.deleteRule =
            .noActionDeleteRule
        try withContext(.sqlite, model: model) { context throws in
            let group = context.make("Group", ["name": "g"])
            let object = context.make("Ruled", ["name": "a", "group": group])
            try context.save()
            context.delete(group)
            context.processPendingChanges()
            object.setValue(group, forKey: "group")
            let other = context.make("Ruled", ["name": "b"])
            other.setValue(group, forKey: "group")
            let error = caughtError { try context.save() }
            #expect(error?.localizedDescription.contains("group") == true)
            context.rollback()
            #expect(try context.number("Group") == 1)
        }
    }

    /// A fault's values are those of its row, which a save has checked before.
    @Test func onlyWhatHasChangedOfAFaultIsAskedAbout() throws {
        let model = model(Ruled.self)
        let groups = try #require(model.entitiesByName["Group"])
        groups.managedObjectClassName = NSStringFromClass(Ruled.self)
        groups.properties += RulesModel.entity("", ["about": .stringAttributeType]).properties
        try withContext(.sqlite, model: model) { context in
            let group = try #require(context.make("Group", ["name": "g"]) as? Ruled)
            try context.save()
            context.refresh(group, mergeChanges: false)
            group.asked = []
            context.make("Ruled", ["name": "a", "group": group])
            #expect(group.isFault)
            try context.save()
            #expect(group.asked.contains("members") && !group.asked.contains("about"))
        }
    }
}
