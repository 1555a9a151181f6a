import CoreData
import TestSupport
import Testing

@Suite struct ChangeTests {
    @Test(arguments: StoreKind.allCases)
    func insertedObjectsAreInTheInsertedSet(kind: StoreKind) throws {
        try withContext(kind) { context in
            #expect(!context.hasChanges)
            let tag = context.make("Tag", ["label": "a"])
            #expect(context.hasChanges)
            #expect(context.insertedObjects == [tag])
            #expect(context.updatedObjects.isEmpty)
            #expect(context.deletedObjects.isEmpty)
            #expect(context.registeredObjects == [tag])
            #expect(tag.isInserted && !tag.isUpdated && !tag.isDeleted && tag.hasChanges)
            #expect(tag.managedObjectContext === context)
            try context.save()
            #expect(!tag.isInserted && !tag.hasChanges)
            #expect(context.insertedObjects.isEmpty)
            #expect(!context.hasChanges)
            #expect(context.registeredObjects == [tag])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changedObjectsAreInTheUpdatedSet(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            tag.setValue("b", forKey: "label")
            #expect(context.updatedObjects == [tag])
            #expect(tag.isUpdated && tag.hasPersistentChangedValues)
            #expect(tag.changedValues()["label"] as? String == "b")
            #expect(tag.committedValues(forKeys: ["label"])["label"] as? String == "a")
            try context.save()
            #expect(context.updatedObjects.isEmpty && !tag.isUpdated)
            #expect(tag.changedValues().isEmpty)
            #expect(tag.text("label") == "b")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func settingTheSameValueIsAChangeButNotAPersistentOne(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            tag.setValue("a", forKey: "label")
            #expect(tag.hasChanges)
            #expect(!tag.hasPersistentChangedValues)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func deletedObjectsAreInTheDeletedSetAndLeaveWithTheSave(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            let id = tag.objectID
            context.delete(tag)
            #expect(context.deletedObjects == [tag])
            #expect(tag.isDeleted && context.hasChanges)
            try context.save()
            #expect(context.deletedObjects.isEmpty)
            #expect(!tag.isDeleted)
            #expect(tag.managedObjectContext == nil)
            #expect(context.registeredObject(for: id) == nil)
            #expect(try context.number("Tag") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectInsertedAndDeletedLeavesNothingToSave(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag")
            context.delete(tag)
            context.processPendingChanges()
            #expect(!context.hasChanges)
            #expect(context.insertedObjects.isEmpty)
            try context.save()
            #expect(try context.number("Tag") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectInsertedAndDeletedInOneEventIsAnnouncedAsDeleted(kind: StoreKind) throws {
        try withContext(kind) { context in
            let log = NotificationLog(context)
            let tag = context.make("Tag", ["label": "a"])
            context.delete(tag)
            context.processPendingChanges()
            let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            #expect(change.objects(NSDeletedObjectsKey) == [tag])
            #expect(change.objects(NSInsertedObjectsKey).isEmpty)
            #expect(context.deletedObjects.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func insertingADeletedObjectTakesTheDeletionBack(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            context.delete(tag)
            context.insert(tag)
            #expect(!tag.isDeleted)
            try context.save()
            #expect(try context.number("Tag") == 1)
        }
    }

    /// What was read of relationships while the object was deleted lacks it.
    @Test(arguments: StoreKind.allCases)
    func anObjectWhoseDeletionIsTakenBackIsWhereItWas(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "D"])
            let tag = context.make("Tag", ["label": "t"])
            let people = ["a", "b"].map {
                context.make("Person", ["name": $0, "department": department])
            }
            tag.setValue(Set(people), forKey: "people")
            try context.save()
            context.refreshAllObjects()
            context.delete(people[0])
            context.processPendingChanges()
            #expect(department.set("people") == [people[1]] && tag.set("people") == [people[1]])
            context.insert(people[0])
            #expect(department.set("people") == Set(people))
            #expect(tag.set("people") == Set(people))
            try context.save()
            context.refreshAllObjects()
            #expect(department.set("people") == Set(people))
            #expect(tag.set("people") == Set(people))
        }
    }

    /// It was never saved, and is as new as it was.
    @Test(arguments: StoreKind.allCases)
    func insertingANewObjectThatWasDeletedMakesItNewAgain(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            context.delete(tag)
            context.insert(tag)
            #expect(tag.isInserted && !tag.isUpdated && !tag.isDeleted)
            #expect(context.insertedObjects == [tag] && context.updatedObjects.isEmpty)
            try context.save()
            context.reset()
            #expect(try context.only("Tag").text("label") == "a")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectMadeWithoutContextIsInsertedLater(kind: StoreKind) throws {
        try withContext(kind) { context in
            let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
            let entity = try #require(model.entitiesByName["Tag"])
            let tag = NSManagedObject(entity: entity, insertInto: nil)
            #expect(tag.managedObjectContext == nil)
            tag.setValue("free", forKey: "label")
            context.insert(tag)
            #expect(context.insertedObjects == [tag])
            try context.save()
            #expect(try context.only("Tag").text("label") == "free")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackBringsBackWhatWasSaved(kind: StoreKind) throws {
        try withContext(kind) { context in
            let kept = context.make("Tag", ["label": "kept"])
            let deleted = context.make("Tag", ["label": "deleted"])
            let person = context.make("Person", ["name": "Ann"])
            try context.save()
            kept.setValue("changed", forKey: "label")
            kept.setValue(NSSet(object: person), forKey: "people")
            context.delete(deleted)
            let new = context.make("Tag")
            context.rollback()
            #expect(!context.hasChanges)
            #expect(kept.text("label") == "kept")
            #expect(kept.set("people").isEmpty && person.set("tags").isEmpty)
            #expect(!deleted.isDeleted && !kept.isUpdated && !person.isUpdated)
            #expect(new.managedObjectContext == nil)
            #expect(try context.number("Tag") == 2)
            deleted.setValue("again", forKey: "label")
            #expect(context.updatedObjects == [deleted])
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func resetForgetsAllObjects(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            tag.setValue("b", forKey: "label")
            context.make("Tag")
            let id = tag.objectID
            let log = NotificationLog(context)
            context.reset()
            log.stop()
            #expect(!context.hasChanges)
            #expect(context.registeredObjects.isEmpty)
            let posted = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
            #expect(posted.userInfo?[NSInvalidatedAllObjectsKey] != nil)
            #expect(context.registeredObject(for: id) == nil)
            #expect(try context.only("Tag").text("label") == "a")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreFaultsWithoutValuesAfterAReset(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "Ann"])
            let tag = context.make("Tag", ["label": "a", "people": NSSet(object: person)])
            try context.save()
            let unsaved = context.make("Tag", ["label": "b"])
            tag.setValue("c", forKey: "label")
            context.reset()
            for object in [person, tag, unsaved] {
                #expect(object.isFault && object.managedObjectContext == nil)
                #expect(!object.hasChanges)
            }
            #expect(tag.text("label") == nil && tag.set("people").isEmpty)
            unsaved.willAccessValue(forKey: nil)
            #expect(!unsaved.isFault && unsaved.text("label") == nil)
            #expect(try context.only("Tag").text("label") == "a")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingANewObjectWithoutMergingDropsItsValues(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "Sales"])
            let person = context.make(
                "Person",
                ["name": "Ann", "isActive": false, "department": department]
            )
            context.refresh(person, mergeChanges: true)
            #expect(person.text("name") == "Ann" && !person.isFault)
            for _ in 0..<2 {
                context.refresh(person, mergeChanges: false)
                #expect(person.isFault && person.objectID.isTemporaryID && person.isInserted)
                #expect(person.text("name") == nil && person.one("department") == nil)
                #expect(person.value(forKey: "isActive") as? Bool == true)
                #expect(!person.isFault && !person.isDeleted)
            }
            #expect(department.set("people").isEmpty)
            #expect(errorCode(context.save) == NSValidationMissingMandatoryPropertyError)
            person.setValue("Bob", forKey: "name")
            try context.obtainPermanentIDs(for: [person])
            context.refresh(person, mergeChanges: false)
            #expect(person.text("name") == nil && !person.isDeleted)
            person.setValue("Bob", forKey: "name")
            try context.save()
            #expect(!person.isFault && person.text("name") == "Bob")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func refreshWithoutMergingDropsChangesAndMakesAFault(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            tag.setValue("b", forKey: "label")
            context.refresh(tag, mergeChanges: false)
            #expect(tag.isFault && !context.hasChanges)
            #expect(tag.text("label") == "a")
            tag.setValue("c", forKey: "label")
            #expect(context.updatedObjects == [tag])
            try context.save()
            context.refresh(tag, mergeChanges: false)
            #expect(tag.text("label") == "c")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func refreshWithMergingKeepsChangesOnTop(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "Ann", "age": 1])
                try context.save()
                person.setValue("Bea", forKey: "name")
                try other.onQueue {
                    try other.only("Person").setValue(2, forKey: "age")
                    try other.save()
                }
                #expect(person.integer("age") == 1)
                context.refresh(person, mergeChanges: true)
                #expect(person.text("name") == "Bea")
                #expect(person.integer("age") == 2)
                #expect(person.isUpdated)
                try context.save()
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func refreshAllObjectsKeepsUnsavedChanges(kind: StoreKind) throws {
        try withContext(kind) { context in
            let changed = context.make("Tag", ["label": "a"])
            let clean = context.make("Tag", ["label": "b"])
            try context.save()
            changed.setValue("c", forKey: "label")
            let new = context.make("Tag", ["label": "d"])
            context.refreshAllObjects()
            #expect(clean.isFault)
            #expect(changed.text("label") == "c" && changed.isUpdated)
            #expect(new.text("label") == "d" && new.isInserted)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func defaultValuesAreSetOnInsertion(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person")
            #expect(person.value(forKey: "isActive") as? Bool == true)
            #expect(person.value(forKey: "age") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func transientValuesAreKeptButNotStored(kind: StoreKind) throws {
        try withContext(kind) { context in
            let person = context.make("Person", ["name": "Ann", "nickname": "A"])
            try context.save()
            #expect(person.text("nickname") == "A")
            context.refresh(person, mergeChanges: false)
            #expect(person.value(forKey: "nickname") == nil)
            person.setValue("B", forKey: "nickname")
            #expect(person.hasChanges && !person.hasPersistentChangedValues)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func retainedRegisteredObjectsStay(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                context.make("Tag")
                try context.save()
                #expect(context.registeredObjects.isEmpty)
                context.retainsRegisteredObjects = true
                _ = try context.all("Tag")
                #expect(context.registeredObjects.count == 1)
                context.retainsRegisteredObjects = false
                #expect(context.registeredObjects.isEmpty)
            }
        }
    }
}
