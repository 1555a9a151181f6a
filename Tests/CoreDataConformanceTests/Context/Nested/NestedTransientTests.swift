import CoreData
import TestSupport
import Testing

/// Transient values and permanent IDs in children.
@Suite struct NestedTransientTests {
    @Test(arguments: StoreKind.allCases)
    func aSaveCarriesTransientValuesUp(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let lowest = family.grandchild
            let person = lowest.onQueue {
                lowest.make("Person", ["name": "Ann", "nickname": "A"])
            }
            let id = person.objectID
            func nickname(_ context: NSManagedObjectContext) throws -> String? {
                try family.text("nickname", of: id, in: context)
            }
            try lowest.onQueue { try lowest.save() }
            #expect(try nickname(family.child) == "A")
            try family.child.onQueue { try family.child.save() }
            #expect(try nickname(family.parent) == "A")
            #expect(try nickname(lowest) == "A")
            // A change of nothing else.
            try family.child.onQueue {
                let child = family.child
                try child.existingObject(with: id).setValue("B", forKey: "nickname")
                try child.save()
                #expect(!child.hasChanges)
            }
            #expect(try nickname(family.parent) == "B")
            try family.child.onQueue {
                try family.child.existingObject(with: id).setValue(nil, forKey: "nickname")
                try family.child.save()
            }
            #expect(try nickname(family.parent) == nil)
            try family.parent.onQueue { try family.parent.save() }
        }
    }

    /// Apple: "Transient properties are properties that you define as part of the model, but which
    /// are not saved to the persistent store".
    @Test(arguments: StoreKind.allCases)
    func aRequiredTransientAttributeHasItsDefault(kind: StoreKind) throws {
        let model = SampleModel.make()
        let attribute = model.entitiesByName["Person"]?.attributesByName["nickname"]
        attribute?.defaultValue = "none"
        attribute?.isOptional = false
        try withStack(kind, model: model) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                let person = writer.make("Person", ["name": "Ann"])
                #expect(person.text("nickname") == "none")
                try writer.save()
            }
            try reader.onQueue {
                let person = try reader.only("Person")
                #expect(person.text("nickname") == "none")
                person.setValue(3, forKey: "age")
                try reader.save()
                person.setValue("Annie", forKey: "nickname")
                try reader.save()
                #expect(person.text("nickname") == "Annie")
                reader.refresh(person, mergeChanges: false)
                #expect(person.text("nickname") == "none")
                person.setValue(nil, forKey: "nickname")
                #expect(person.value(forKey: "nickname") == nil)
                #expect(errorCode(reader.save) == NSValidationMissingMandatoryPropertyError)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func permanentIDsComeFromAboveForObjectsThatWereSavedUp(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let lowest = family.grandchild
            let person = try lowest.onQueue {
                let person = lowest.make("Person", ["name": "Ann"])
                try lowest.save()
                #expect(person.objectID.isTemporaryID)
                try lowest.obtainPermanentIDs(for: [person])
                #expect(!person.objectID.isTemporaryID)
                #expect(lowest.registeredObject(for: person.objectID) === person)
                return person
            }
            let id = person.objectID
            for context in [family.child, family.parent] {
                try context.onQueue {
                    #expect(try context.existingObject(with: id).text("name") == "Ann")
                    try context.save()
                }
            }
            #expect(person.objectID == id)
            let outside = family.stack.makeContext()
            #expect(try family.text("name", of: id, in: outside) == "Ann")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func permanentIDsAreThereAfterAllLevelsHaveSaved(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let child = family.child
            let person = try child.onQueue {
                let person = child.make("Person", ["name": "Ann"])
                try child.save()
                return person
            }
            let saved = try family.parent.onQueue {
                try family.parent.save()
                return try family.parent.only("Person").objectID
            }
            try child.onQueue {
                try child.obtainPermanentIDs(for: [person])
                #expect(person.objectID == saved && !person.objectID.isTemporaryID)
            }
        }
    }
}
