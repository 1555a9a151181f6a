import TestSupport
import Testing

@testable import CoreData

/// More of what the check finds in damaged contexts, and what it has to let pass.
@Suite(.enabled(if: ConsistencyCheck.isOn, "COREDATA_CONSISTENCY_CHECK=1 switches it on"))
struct ConsistencyFindingTests {
    @Test func twoObjectsUnderTwoKeysOfOneRowAreFound() throws {
        try ConsistencyScene.with { scene throws in
            let person = scene.people[0]
            let second = person.registry.makeFault(person.primaryKey, row: person.row)
            person.registry.identityMap.set(1_000, person)
            scene.expect("is a second object for its row")
            person.registry.identityMap.remove(1_000, person)
            withExtendedLifetime(second) {}
        }
    }

    @Test func aForeignObjectIsFound() throws {
        try ConsistencyScene.with { scene throws in
            let other = scene.stack.makeContext("theirs")
            let foreign = other.onQueue { other.object(with: scene.people[0].objectID) }
            let map = scene.people[0].registry.identityMap
            map.set(1_000, foreign)
            scene.expect("is registered here, but belongs to another context")
            map.remove(1_000, foreign)
            scene.show(foreign, as: "department", of: scene.people[1])
            scene.expect("of another context in department")
        }
    }

    @Test func neighboursThatHaveLeftTheContextAreFoundWhereTheyWereSet() throws {
        try ConsistencyScene.with { scene in
            let other = scene.make("Department", "e")
            scene.people[0].setValue(other, forKey: "department")
            try scene.context.save()
            _ = scene.department.value(forKey: "people")
            scene.people[1].flags.insert(.detached)
            scene.expect("shows Person/p2 in people, which has left the context")
            scene.people[1].flags.remove(.detached)
            scene.people[1].setValue(other, forKey: "department")
            scene.context.processPendingChanges()
            other.flags.insert(.detached)
            scene.expect("shows Department/p2 in department, which has left the context")
            other.flags.remove(.detached)
        }
    }

    @Test func anObjectThatHasLeftTheContextIsFound() throws {
        try ConsistencyScene.with { scene throws in
            scene.department.flags.insert(.detached)
            scene.expect("is registered, but has left the context (detached)")
            _ = scene.people[0].toOneObject(scene.people[0].requiredSlot("department").index)
            scene.expect("shows Department/p1 in department, which has left the context")
            scene.department.flags.remove(.detached)
        }
    }

    @Test func aToOneThatIsLostOrFromNowhereIsFound() throws {
        try ConsistencyScene.with { scene throws in
            scene.show(nil, as: "department", of: scene.people[0])
            scene.expect("shows nil for department, but its row has p1")
            let loner = scene.make("Person", "c")
            try scene.context.save()
            scene.show(scene.department, as: "department", of: loner)
            scene.expect("shows Department/p1 for department, but its row has nil")
            scene.expect("has Department/p1 for department, whose people lacks it")
        }
    }

    @Test func aMemberWhoseRowNamesAnotherOwnerIsFound() throws {
        try ConsistencyScene.with { scene throws in
            let other = scene.make("Department", "e")
            let loner = scene.make("Person", "c")
            try scene.context.save()
            let slot = other.requiredSlot("people").index
            _ = other.toManyObjects(slot)
            for person in scene.people + [loner] { person.overlay = nil }
            other.toMany(slot).gain(scene.people[0])
            other.toMany(slot).gain(loner)
            scene.expect("has Person/p1 in people, whose department is p1")
            scene.expect("has Person/p3 in people, whose department is nil")
        }
    }

    /// Nothing is known of the rows of objects that are not saved, or can't be read.
    @Test func whatHasNoRowYetIsNotJudged() throws {
        try ConsistencyScene.with { scene throws in
            let new = scene.make("Person", "n")
            let slot = scene.department.requiredSlot("people").index
            scene.department.toMany(slot).gain(new)
            #expect(scene.found() == [])
            let unsaved = scene.make("Department", "u")
            _ = unsaved.toManyObjects(slot)
            scene.show(unsaved, as: "department", of: scene.people[0])
            scene.expect("shows Department/t")
        }
    }

    @Test func aStoreThatCanNotBeReadSaysNothingAgainstWhatIsShown() throws {
        try ConsistencyScene.with { scene throws in
            let editor = try SQLiteConnection(ConnectionSettings(path: scene.stack.url.path))
            for person in scene.people { scene.context.refresh(person, mergeChanges: false) }
            for person in scene.people {
                person.registry.store?.invalidateRow(person.layout, person.primaryKey)
            }
            try editor.execute("ALTER TABLE ZPERSON RENAME TO AWAY")
            #expect(scene.found() == [])
            try editor.execute("ALTER TABLE AWAY RENAME TO ZPERSON")
        }
    }

    @Test func aRowThatAMergedSaveHasDeletedIsFound() throws {
        try ConsistencyScene.with { scene throws in
            let person = scene.people[0]
            let key = person.layout.ledgerKey(person.primaryKey)
            let ledger = try #require(person.registry.store?.coordinatorStore.ledger)
            ledger.commit([key: .deleted], number: CommitLedger.next())
            scene.context.consistency?.tell(key, ledger, upTo: CommitLedger.now)
            #expect(scene.found() == [], "The row is there again.")
            let other = scene.stack.makeContext("theirs")
            try other.onQueue {
                other.delete(other.object(with: person.objectID))
                try other.save()
            }
            #expect(scene.found(isSettled: false) == [], "The context has not heard of it.")
            scene.context.consistency?.tell(key, ledger, upTo: CommitLedger.now)
            scene.expect("but a save that is merged has deleted it")
        }
    }

    @Test func onePartnerOfManyToManyThatLacksTheOtherIsFound() throws {
        try ConsistencyScene.with { scene throws in
            let tag = scene.make("Tag", "t")
            try scene.context.save()
            let person = scene.people[0]
            _ = tag.toManyObjects(tag.requiredSlot("people").index)
            let slot = person.requiredSlot("tags").index
            _ = person.toManyObjects(slot)
            person.toMany(slot).gain(tag)
            scene.expect("has Tag/p1 in tags, whose people lacks it")
        }
    }

    private static func modelWithDesks() -> NSManagedObjectModel {
        let model = SampleModel.make()
        let desk = makeEntity("Desk")
        let person = model.entitiesByName["Person"]
        let owner = makeRelationship("owner", to: person)
        let back = makeRelationship("desk", to: desk)
        connect(owner, back)
        desk.properties = [owner]
        person?.properties.append(back)
        model.entities.append(desk)
        return model
    }

    @Test func aPartnerThatShowsAThirdObjectIsFound() throws {
        try ConsistencyScene.with(Self.modelWithDesks()) { scene throws in
            let desk = scene.make("Desk", "")
            desk.setValue(scene.people[0], forKey: "owner")
            try scene.context.save()
            let slot = desk.requiredSlot("owner").index
            _ = desk.toOneObject(slot)
            #expect(scene.found() == [])
            scene.show(scene.people[1], as: "owner", of: desk)
            scene.expect("has Person/p2 for owner, whose desk is nil")
            desk.overlay = nil
            desk.change(slot) { desk.ensureOverlay().setBox(slot, scene.people[1]) }
            scene.context.processPendingChanges()
            scene.expect("has Person/p2 for owner, whose desk is nil")
        }
    }
}
