import CoreData
import TestSupport
import Testing

@Suite struct FaultTests {
    @Test(arguments: StoreKind.allCases)
    func oneRowIsOneObjectInAContext(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            try context.save()
            #expect(try context.only("Tag") === tag)
            #expect(context.object(with: tag.objectID) === tag)
            #expect(try context.existingObject(with: tag.objectID) === tag)
            #expect(context.registeredObject(for: tag.objectID) === tag)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func fetchedObjectsAreFaultsUntilAValueIsRead(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                writer.make("Tag", ["label": "a"])
                try writer.save()
            }
            try reader.onQueue {
                let tag = try reader.only("Tag")
                #expect(tag.isFault && tag.faultingState != 0)
                #expect(!tag.hasChanges && !tag.isDeleted && tag.isFault)
                _ = tag.objectID
                #expect(tag.isFault)
                #expect(tag.text("label") == "a")
                #expect(!tag.isFault && tag.faultingState == 0)
                reader.refresh(tag, mergeChanges: false)
                #expect(tag.isFault)
                tag.willAccessValue(forKey: nil)
                #expect(!tag.isFault)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.returnsObjectsAsFaults = false
                reader.refresh(tag, mergeChanges: false)
                #expect(try reader.fetch(request).first?.isFault == false)
            }
        }
    }

    /// Who has read the members of one object gets those of the next with their rows.
    @Test(arguments: StoreKind.allCases)
    func membersOfOneObjectAfterTheOtherShowWhatTheStoreHasThen(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                for title in ["a", "b", "c"] {
                    let department = writer.make("Department", ["name": title])
                    for number in 1...3 {
                        writer.make(
                            "Person",
                            ["name": "\(title)\(number)", "department": department]
                        )
                    }
                }
                try writer.save()
            }
            func names(_ department: NSManagedObject) -> [String] {
                let people = department.value(forKey: "people") as? Set<NSManagedObject> ?? []
                return people.compactMap { $0.value(forKey: "name") as? String }.sorted()
            }
            let departments = try reader.onQueue {
                let departments = try reader.all("Department", sortedBy: "name")
                #expect(names(departments[0]) == ["a1", "a2", "a3"])
                return departments
            }
            try writer.onQueue {
                let people = try writer.all("Person", sortedBy: "name")
                people[3].setValue("b9", forKey: "name")
                people[4].setValue(people[8].value(forKey: "department"), forKey: "department")
                writer.delete(people[5])
                try writer.save()
            }
            try reader.onQueue {
                #expect(names(departments[1]) == ["b9"])
                #expect(names(departments[2]) == ["b2", "c1", "c2", "c3"])
                let third = departments[2].value(forKey: "people") as? Set<NSManagedObject> ?? []
                let fetched = try reader.all("Person", sortedBy: "name")
                #expect(third.isSubset(of: fetched) && fetched.count == 8)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func cleanObjectsAreHeldWeakly(kind: StoreKind) throws {
        try withContext(kind) { context in
            weak var weakTag: NSManagedObject?
            let id = try {
                let tag = context.make("Tag", ["label": "a"])
                weakTag = tag
                try context.save()
                return tag.objectID
            }()
            #expect(weakTag == nil)
            #expect(context.registeredObject(for: id) == nil)
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changedObjectsAreHeldStrongly(kind: StoreKind) throws {
        try withContext(kind) { context in
            context.make("Tag", ["label": "a"])
            try context.save()
            try context.only("Tag").setValue("b", forKey: "label")
            #expect(context.updatedObjects.first?.text("label") == "b")
            try context.save()
            #expect(try context.only("Tag").text("label") == "b")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectForAnUnknownRowIsAFaultThatReadsAsDeleted(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            let id: NSManagedObjectID = try other.onQueue {
                let person = other.make("Person", ["name": "a"])
                try other.save()
                other.delete(person)
                let id = person.objectID
                try other.save()
                return id
            }
            try context.onQueue {
                let person = context.object(with: id)
                #expect(person.isFault && !person.isDeleted)
                #expect(person.value(forKey: "name") == nil)
                #expect(person.value(forKey: "department") == nil)
                #expect(person.set("tags").isEmpty)
                #expect(person.isDeleted)
                #expect(
                    errorCode { _ = try context.existingObject(with: id) }
                        == NSManagedObjectReferentialIntegrityError
                )
                try context.save()
                #expect(errorCode { _ = try context.existingObject(with: id) } == 133000)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFaultReadsWhatWasSavedLast(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            try other.onQueue {
                other.make("Tag", ["label": "a"])
                try other.save()
            }
            try context.onQueue {
                let tag = try context.only("Tag")
                try other.onQueue {
                    try other.only("Tag").setValue("b", forKey: "label")
                    try other.save()
                }
                #expect(tag.text("label") == "b")
                try other.onQueue {
                    try other.only("Tag").setValue("c", forKey: "label")
                    try other.save()
                }
                // Read already: a later save shows only after a merge or a refresh.
                #expect(try context.only("Tag").text("label") == "b")
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                request.shouldRefreshRefetchedObjects = true
                #expect(try context.fetch(request).first?.text("label") == "c")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsAreFaultsUntilTheyAreRead(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let writer = stack.makeContext(), reader = stack.makeContext()
            try writer.onQueue {
                let department = writer.make("Department", ["name": "D"])
                writer.make("Person", ["name": "Ann", "department": department])
                try writer.save()
            }
            try reader.onQueue {
                let person = try reader.only("Person")
                #expect(person.hasFault(forRelationshipNamed: "department"))
                let department = try #require(person.one("department"))
                #expect(department.isFault)
                #expect(department.hasFault(forRelationshipNamed: "people"))
                #expect(department.set("people") == [person])
                #expect(!department.hasFault(forRelationshipNamed: "people"))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsReadAsEmptyWhenTheirStoreIsGone(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let person = context.make("Person", ["name": "Ann"])
                try context.save()
                context.refresh(person, mergeChanges: false)
                try stack.coordinator.remove(try #require(stack.coordinator.persistentStores.first))
                #expect(person.value(forKey: "name") == nil)
                #expect(person.set("tags").isEmpty)
            }
        }
    }
}

@Suite struct ObjectIDTests {
    @Test(arguments: StoreKind.allCases)
    func idsAreTemporaryUntilTheSave(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag")
            let temporary = tag.objectID
            #expect(temporary.isTemporaryID && temporary.persistentStore == nil)
            #expect(context.object(with: temporary) === tag)
            #expect(context.registeredObject(for: temporary) === tag)
            try context.save()
            #expect(!tag.objectID.isTemporaryID && tag.objectID != temporary)
            #expect(tag.objectID.entity.name == "Tag")
            #expect(
                tag.objectID.persistentStore
                    === context.persistentStoreCoordinator?.persistentStores.first
            )
        }
    }

    @Test(arguments: StoreKind.allCases)
    func permanentIDsCanBeObtainedBeforeTheSave(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag")
            try context.obtainPermanentIDs(for: [tag])
            let id = tag.objectID
            #expect(!id.isTemporaryID && tag.isInserted)
            try context.obtainPermanentIDs(for: [tag])
            #expect(tag.objectID == id)
            #expect(context.object(with: id) === tag)
            #expect(context.registeredObjects == [tag])
            try context.save()
            #expect(tag.objectID == id)
            #expect(try context.only("Tag") === tag)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func idsOfOneRowAreEqualInAllContexts(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let first = stack.makeContext(), second = stack.makeContext()
            let id = try first.onQueue {
                let employee = first.make("Employee", ["name": "a"])
                try first.save()
                return employee.objectID
            }
            try second.onQueue {
                let other = try second.only("Person").objectID
                #expect(id == other && id.hash == other.hash)
                #expect(id.entity.name == "Employee")
                #expect(other.uriRepresentation() == id.uriRepresentation())
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func urisLeadBackToIDs(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag")
            #expect(
                tag.objectID.uriRepresentation().absoluteString.hasPrefix("x-coredata:///Tag/t")
            )
            try context.save()
            let coordinator = try #require(context.persistentStoreCoordinator)
            let uri = tag.objectID.uriRepresentation()
            let store = try #require(coordinator.persistentStores.first)
            #expect(uri.absoluteString.hasPrefix("x-coredata://\(store.identifier ?? "")/Tag/p"))
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == tag.objectID)
            for text in [
                "x-coredata://0/Tag/p1", "x-coredata://\(store.identifier ?? "")/None/p1",
                "x-coredata://\(store.identifier ?? "")/Tag/p-1",
                "x-coredata://\(store.identifier ?? "")/Tag/q1", "http://example.org/Tag/p1",
                "x-coredata://\(store.identifier ?? "")/Tag/p99999999999999999999",
            ] {
                let url = try #require(URL(string: text))
                #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFailedSaveLeavesIDsTemporary(kind: StoreKind) throws {
        try withContext(kind) { context in
            let tag = context.make("Tag", ["label": "a"])
            let person = context.make("Person")
            let ids = [tag.objectID, person.objectID]
            let log = NotificationLog(context)
            #expect(errorCode(context.save) == NSValidationMissingMandatoryPropertyError)
            log.stop()
            #expect([tag.objectID, person.objectID] == ids)
            #expect(context.insertedObjects == [tag, person])
            #expect(log.count(.NSManagedObjectContextDidSave) == 0)
            #expect(try context.number("Tag") == 1)
            person.setValue("Ann", forKey: "name")
            try context.save()
            #expect(!tag.objectID.isTemporaryID)
        }
    }
}
