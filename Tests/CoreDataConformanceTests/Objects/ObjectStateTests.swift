import CoreData
import TestSupport
import Testing

/// What objects and their identifiers say of themselves in less usual states.
@Suite struct ObjectStateTests {
    @Test func aCleanObjectHasNoChangedValues() throws {
        try withContext(.sqlite) { context throws in
            context.make("Tag", ["label": "t"])
            try context.save()
            context.reset()
            let tag = try context.only("Tag")
            #expect(!tag.hasPersistentChangedValues && tag.changedValues().isEmpty)
            #expect(tag.changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test func aNewObjectHasTheRelationshipsThatWereSetAsChanges() throws {
        try withContext(.sqlite) { context throws in
            let list = context.make("Playlist")
            try context.save()
            let song = context.make("Song")
            song.setValue(list, forKey: "playlist")
            #expect(song.hasPersistentChangedValues)
            #expect(song.changedValues()["playlist"] as AnyObject === list)
            #expect(list.objectIDs(forRelationshipNamed: "songs") == [song.objectID])
        }
    }

    @Test func committedRelationshipsAreThoseOfTheStore() throws {
        try withContext(.sqlite) { context throws in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "a", "department": department])
            try context.save()
            person.setValue(nil, forKey: "department")
            let committed = person.committedValues(forKeys: ["department", "name"])
            #expect(committed["department"] as AnyObject === department)
            #expect(committed["name"] as? String == "a")
        }
    }

    @Test func committedTransformableValuesAreThoseOfTheStore() throws {
        let model = NSManagedObjectModel()
        model.entities = [RulesModel.entity("Box", ["content": .transformableAttributeType])]
        try withContext(.sqlite, model: model) { context throws in
            let full = context.make("Box", ["content": ["a", "b"] as NSArray])
            let empty = context.make("Box")
            try context.save()
            full.setValue(nil, forKey: "content")
            empty.setValue(["c"] as NSArray, forKey: "content")
            #expect(
                full.committedValues(forKeys: ["content"])["content"] as? [String] == ["a", "b"]
            )
            #expect(empty.committedValues(forKeys: ["content"])["content"] is NSNull)
            try context.save()
            context.reset()
            let contents = try context.all("Box").map { $0.value(forKey: "content") as? [String] }
            #expect(contents.compactMap(\.self) == [["c"]])
        }
    }

    @Test func relationshipsThatWereSetAreFaultsIfTheirObjectsAre() throws {
        try withContext(.sqlite) { context throws in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "a"])
            try context.save()
            person.setValue(department, forKey: "department")
            #expect(!person.hasFault(forRelationshipNamed: "department"))
            context.refresh(department, mergeChanges: false)
            #expect(person.hasFault(forRelationshipNamed: "department"))
            person.setValue(nil, forKey: "department")
            #expect(!person.hasFault(forRelationshipNamed: "department"))
        }
    }

    @Test func identifiersAreValues() throws {
        try withContext(.sqlite) { context throws in
            let tag = context.make("Tag")
            try context.save()
            let id = tag.objectID
            #expect(id.copy() as AnyObject === id)
            #expect(!id.isEqual(id.uriRepresentation()) && !id.isEqual(nil) && id.isEqual(id))
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    @Test func identifiersAreFoundByTheTextsOfTheirURIs() throws {
        try withContext(.sqlite) { context in
            let tag = context.make("Tag")
            try context.save()
            let coordinator = try #require(context.persistentStoreCoordinator)
            let text = tag.objectID.uriRepresentation().absoluteString
            #expect(coordinator.managedObjectID(for: text) == tag.objectID)
            #expect(coordinator.managedObjectID(for: "not a URI of an object") == nil)
        }
    }

    /// An identifier that says the entity above the row's own, as one of an older program may.
    @Test func anIdentifierMayNameAnAncestorOfTheRowsEntity() throws {
        try withStack(.sqlite) { stack throws in
            let context = stack.makeContext()
            let uri = try context.onQueue {
                let employee = context.make("Employee", ["name": "a"])
                try context.save()
                return employee.objectID.uriRepresentation().absoluteString
            }
            let other = stack.makeContext()
            try other.onQueue {
                // The context has met people already.
                other.make("Person", ["name": "b"])
                try other.save()
                let text = uri.replacingOccurrences(of: "/Employee/", with: "/Person/")
                let named = try #require(URL(string: text))
                let id = try #require(
                    stack.coordinator.managedObjectID(forURIRepresentation: named)
                )
                let found = try other.existingObject(with: id)
                #expect(found.entity.name == "Employee" && found.text("name") == "a")
                #expect(try other.only("Employee") === found)
            }
        }
    }

    @Test func aTemporaryIdentifierOfAnotherContextIsAnEmptyFault() throws {
        try withStack(.sqlite) { stack throws in
            let one = stack.makeContext(), other = stack.makeContext()
            let id = one.onQueue { one.make("Tag").objectID }
            other.onQueue {
                let tag = other.object(with: id)
                #expect(tag.isFault && tag.objectID == id && tag.entity.name == "Tag")
                #expect(!other.hasChanges)
            }
        }
    }

    @Test func observersAreToldOnlyByHand() {
        #expect(!NSManagedObject.automaticallyNotifiesObservers(forKey: "name"))
    }

    @Test func objectsOfAClientsClassAreFoundByTheirIDs() throws {
        try withStack(.sqlite, model: Judge.model()) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            let ids = try context.onQueue {
                let judges = ["a", "b"].map { context.make("Diary", ["text": $0]) }
                try context.save()
                return judges.map(\.objectID)
            }
            try other.onQueue {
                let first = try other.existingObject(with: ids[0])
                let second = try other.existingObject(with: ids[1])
                #expect(first is Judge && first.text("text") == "a")
                #expect(second is Judge && second.text("text") == "b")
            }
        }
    }

    /// What was taken out of a relationship that others have added to meanwhile is no longer in it.
    @Test func aMemberThatWasReadAtOneEndOnlyIsTakenOutOfBoth() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let tag = context.make("Tag"), person = context.make("Person", ["name": "p"])
                try context.save()
                #expect(tag.set("people").isEmpty)
                try other.onQueue {
                    let tag = other.object(with: tag.objectID)
                    tag.setValue([other.object(with: person.objectID)] as NSSet, forKey: "people")
                    try other.save()
                }
                let people = tag.mutableSetValue(forKey: "people")
                people.add(person)
                #expect(person.set("tags") == [tag])
                people.remove(person)
                #expect(tag.set("people").isEmpty && person.set("tags").isEmpty)
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try context.save()
                context.refreshAllObjects()
                #expect(tag.set("people").isEmpty && person.set("tags").isEmpty)
            }
        }
    }

    @Test func aRollbackTellsOfObjectsThatOthersHaveDeleted() throws {
        try withStack(.sqlite) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try context.onQueue {
                let tag = context.make("Tag", ["label": "a"])
                try context.save()
                context.refresh(tag, mergeChanges: false)
                context.processPendingChanges()
                try other.onQueue {
                    other.delete(other.object(with: tag.objectID))
                    try other.save()
                }
                let log = NotificationLog(context)
                #expect(tag.text("label") == nil)
                context.rollback()
                context.processPendingChanges()
                let told = log.notifications.flatMap { $0.objects(NSDeletedObjectsKey) }
                #expect(told == [tag] && !context.hasChanges)
            }
        }
    }
}
