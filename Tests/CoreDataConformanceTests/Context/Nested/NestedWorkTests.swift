import CoreData
import TestSupport
import Testing

/// A child's save costs what it changes, whatever the store and the parent hold.
@Suite struct NestedWorkTests {
    private func fill(_ family: Family, _ number: Int) throws -> [NSManagedObjectID] {
        try family.parent.onQueue {
            let parent = family.parent
            let department = parent.make("Department", ["name": "D"])
            let people = (0..<number).map {
                parent.make("Person", ["name": "p\($0)", "department": department])
            }
            try parent.save()
            let ids = people.map(\.objectID)
            parent.reset()
            return ids
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveRegistersInTheParentWhatItChangesAlone(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let ids = try fill(family, 200)
            let child = family.child, parent = family.parent
            parent.performAndWait { parent.retainsRegisteredObjects = true }
            try child.onQueue {
                let people = try child.all("Person")
                #expect(people.count == 200)
                child.object(with: ids[3]).setValue("x", forKey: "name")
                child.object(with: ids[7]).setValue("y", forKey: "name")
                child.make("Tag", ["label": "t"])
                try child.save()
            }
            parent.performAndWait {
                let changed = parent.updatedObjects.union(parent.insertedObjects)
                #expect(changed.count == 3 && parent.registeredObjects == changed)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveFiresNoFaultsOfObjectsThatItLeavesAlone(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let ids = try fill(family, 50)
            let child = family.child, parent = family.parent
            let held = parent.onQueue { ids.map { parent.object(with: $0) } }
            try child.onQueue {
                child.object(with: ids[3]).setValue("x", forKey: "name")
                try child.save()
            }
            parent.onQueue {
                #expect(held.count { !$0.isFault } == 1)
                #expect(held[3].text("name") == "x" && parent.updatedObjects == [held[3]])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theParentTellsOfWhatTheSaveChangedAlone(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            let ids = try fill(family, 20)
            let child = family.child, parent = family.parent
            let log = parent.onQueue {
                for id in ids.prefix(5) { parent.object(with: id).setValue("p", forKey: "name") }
                parent.processPendingChanges()
                return NotificationLog(parent)
            }
            try child.onQueue {
                child.object(with: ids[9]).setValue("x", forKey: "name")
                child.delete(child.object(with: ids[10]))
                try child.save()
            }
            try parent.onQueue {
                #expect(log.names == ["didChange"])
                let change = try #require(log.last(.NSManagedObjectContextObjectsDidChange))
                #expect(change.objects(NSDeletedObjectsKey).map(\.objectID) == [ids[10]])
                let updated = change.objects(NSUpdatedObjectsKey).filter {
                    $0.entity.name == "Person"
                }
                #expect(updated.map(\.objectID) == [ids[9]])
                #expect(change.objects(NSInsertedObjectsKey).isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveWithoutChangesDoesNothingInTheParent(kind: StoreKind) throws {
        try withFamily(kind) { family throws in
            _ = try fill(family, 5)
            let child = family.child, parent = family.parent
            let log = parent.onQueue { NotificationLog(parent) }
            try child.onQueue {
                let people = try child.all("Person")
                #expect(people.count == 5)
                try child.save()
            }
            parent.performAndWait { #expect(log.names.isEmpty && !parent.hasChanges) }
        }
    }
}
