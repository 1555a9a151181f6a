import CoreData
import TestSupport
import Testing

@Suite struct NestedContextTests {
    /// A private-queue context on a coordinator, and a child of it.
    private func withFamily(
        _ kind: StoreKind,
        _ body: (
            _ stack: TestStack, _ parent: NSManagedObjectContext, _ child: NSManagedObjectContext
        ) throws -> Void
    ) throws {
        let stack = try TestStack(kind)
        let parent = stack.makeContext("parent")
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try body(stack, parent, child)
        withExtendedLifetime(stack) {}
    }

    private func names(
        _ context: NSManagedObjectContext,
        _ format: String = "TRUEPREDICATE"
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = try NSPredicate.parse(format)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try context.fetch(request).compactMap { $0.text("name") }
    }

    @Test(arguments: StoreKind.allCases)
    func theCoordinatorIsTheParents(kind: StoreKind) throws {
        try withFamily(kind) { stack, parent, child in
            #expect(child.parent === parent)
            #expect(child.persistentStoreCoordinator === stack.coordinator)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveGoesUpOneLevel(kind: StoreKind) throws {
        try withFamily(kind) { stack, parent, child in
            try child.onQueue {
                child.make("Person", ["name": "Ann", "age": 30])
                try child.save()
                #expect(!child.hasChanges)
            }
            let outside = stack.makeContext()
            try outside.onQueue {
                let found = try names(outside)
                #expect(found.isEmpty)
            }
            try parent.onQueue {
                #expect(parent.insertedObjects.count == 1)
                let found1 = try names(parent)
                #expect(found1 == ["Ann"])
                try parent.save()
            }
            try outside.onQueue {
                let found2 = try names(outside)
                #expect(found2 == ["Ann"])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aFetchSeesTheParentsUnsavedChanges(kind: StoreKind) throws {
        try withFamily(kind) { _, parent, child in
            try parent.onQueue {
                let bob = parent.make("Person", ["name": "Bob", "age": 20])
                let eve = parent.make("Person", ["name": "Eve", "age": 50])
                try parent.save()
                bob.setValue(21, forKey: "age")
                parent.delete(eve)
                parent.make("Person", ["name": "Zoe", "age": 21])
            }
            try child.onQueue {
                let found3 = try names(child)
                #expect(found3 == ["Bob", "Zoe"])
                let found4 = try names(child, "age == 21")
                #expect(found4 == ["Bob", "Zoe"])
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                let count = try child.count(for: request)
                #expect(count == 2)
                #expect(!child.hasChanges)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsCrossTheLevels(kind: StoreKind) throws {
        try withFamily(kind) { stack, parent, child in
            let departmentID = parent.onQueue {
                let department = parent.make("Department", ["name": "R"])
                let person = parent.make("Person", ["name": "Ann"])
                person.setValue(department, forKey: "department")
                return department.objectID
            }
            #expect(departmentID.isTemporaryID)
            try child.onQueue {
                let department = try child.existingObject(with: departmentID)
                #expect((department.value(forKey: "people") as? NSSet)?.count == 1)
                let person = child.make("Person", ["name": "Bob"])
                person.setValue(department, forKey: "department")
                let tag = child.make("Tag", ["label": "x"])
                person.setValue(NSSet(object: tag), forKey: "tags")
                try child.save()
            }
            try parent.onQueue {
                let department = parent.object(with: departmentID)
                #expect((department.value(forKey: "people") as? NSSet)?.count == 2)
                try parent.save()
            }
            let outside = stack.makeContext()
            try outside.onQueue {
                let found5 = try names(outside, "department.name == 'R'")
                #expect(found5 == ["Ann", "Bob"])
                let found6 = try names(outside, "ANY tags.label == 'x'")
                #expect(found6 == ["Bob"])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func updatesAndDeletesGoUp(kind: StoreKind) throws {
        try withFamily(kind) { stack, parent, child in
            try parent.onQueue {
                parent.make("Person", ["name": "Ann", "age": 1])
                parent.make("Person", ["name": "Bob", "age": 2])
                try parent.save()
            }
            try child.onQueue {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                let people = try child.fetch(request)
                people[0].setValue("Anna", forKey: "name")
                child.delete(people[1])
                try child.save()
            }
            try parent.onQueue {
                #expect(parent.updatedObjects.count == 1)
                #expect(parent.deletedObjects.count == 1)
                try parent.save()
            }
            let outside = stack.makeContext()
            try outside.onQueue {
                let found7 = try names(outside)
                #expect(found7 == ["Anna"])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectSavedAllTheWayUpCanBeChangedAgainInTheChild(kind: StoreKind) throws {
        try withFamily(kind) { stack, parent, child in
            let person = try child.onQueue {
                let person = child.make("Person", ["name": "Ann"])
                try child.save()
                #expect(person.objectID.isTemporaryID)
                return person.objectID
            }
            try parent.onQueue { try parent.save() }
            try child.onQueue {
                let same = try child.existingObject(with: person)
                let found8 = try names(child)
                #expect(found8 == ["Ann"])
                same.setValue("Anna", forKey: "name")
                try child.save()
                #expect(!same.objectID.isTemporaryID)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                let fetched = try child.fetch(request)
                #expect(fetched == [same])
            }
            try parent.onQueue { try parent.save() }
            let outside = stack.makeContext()
            try outside.onQueue {
                let found9 = try names(outside)
                #expect(found9 == ["Anna"])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func permanentIDsCanBeHadBeforeAnythingIsSaved(kind: StoreKind) throws {
        try withFamily(kind) { stack, parent, child in
            let id = try child.onQueue {
                let person = child.make("Person", ["name": "Ann"])
                try child.obtainPermanentIDs(for: [person])
                #expect(!person.objectID.isTemporaryID)
                #expect(person.isInserted)
                try child.save()
                return person.objectID
            }
            try parent.onQueue {
                let same = try parent.existingObject(with: id)
                #expect(same.isInserted)
                try parent.save()
            }
            let outside = stack.makeContext()
            try outside.onQueue {
                let same = try outside.existingObject(with: id)
                #expect(same.text("name") == "Ann")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func threeLevelsAndOrderedRelationships(kind: StoreKind) throws {
        try withFamily(kind) { stack, parent, child in
            let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            grandchild.parent = child
            try grandchild.onQueue {
                let list = grandchild.make("Playlist", ["title": "L"])
                let songs = ["c", "a", "b"].map { grandchild.make("Song", ["title": $0]) }
                list.setValue(NSOrderedSet(array: songs), forKey: "songs")
                try grandchild.save()
            }
            try child.onQueue { try child.save() }
            try parent.onQueue { try parent.save() }
            let outside = stack.makeContext()
            try outside.onQueue {
                let list = try #require(
                    try outside.fetch(NSFetchRequest<NSManagedObject>(entityName: "Playlist")).first
                )
                let songs = list.value(forKey: "songs") as? NSOrderedSet
                #expect(
                    songs?.array.compactMap {
                        ($0 as? NSManagedObject)?.value(forKey: "title") as? String
                    }
                        == ["c", "a", "b"]
                )
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aChangeOfAnObjectThatTheParentHasDeletedIsAConflict(kind: StoreKind) throws {
        try withFamily(kind) { _, parent, child in
            let id = try parent.onQueue {
                let person = parent.make("Person", ["name": "Ann"])
                try parent.save()
                return person.objectID
            }
            try child.onQueue {
                let person = try child.existingObject(with: id)
                person.setValue("Anna", forKey: "name")
                parent.performAndWait { parent.delete(parent.object(with: id)) }
                let error = #expect(throws: CocoaError.self) { try child.save() }
                #expect(error?.code.rawValue == NSManagedObjectMergeError)
                #expect(child.hasChanges)
                child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try child.save()
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func siblingsThatAskForItMergeWhatOneOfThemSaves(kind: StoreKind) throws {
        try withFamily(kind) { _, parent, child in
            let sibling = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            sibling.parent = parent
            sibling.automaticallyMergesChangesFromParent = true
            let id = try parent.onQueue {
                let person = parent.make("Person", ["name": "Ann"])
                try parent.save()
                return person.objectID
            }
            var seen: NSManagedObject?
            try sibling.onQueue {
                seen = try sibling.existingObject(with: id)
                #expect(seen?.text("name") == "Ann")
            }
            try child.onQueue {
                try child.existingObject(with: id).setValue("Anna", forKey: "name")
                try child.save()
            }
            sibling.onQueue {
                #expect(seen?.text("name") == "Anna")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aChildsSaveIsNothingNewToItsParent(kind: StoreKind) throws {
        try withFamily(kind) { _, parent, child in
            nonisolated(unsafe) var saves: [Notification] = []
            let sender = ObjectIdentifier(child)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave,
                object: nil,
                queue: nil
            ) { notification in
                if ObjectIdentifier(notification.object as AnyObject) == sender {
                    saves.append(notification)
                }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            try child.onQueue {
                child.make("Person", ["name": "Ann"])
                try child.save()
            }
            try parent.onQueue {
                #expect(saves.count == 1)
                for notification in saves { parent.mergeChanges(fromContextDidSave: notification) }
                let found10 = try names(parent)
                #expect(found10 == ["Ann"])
                #expect(parent.registeredObjects.count == 1)
            }
        }
    }
}
