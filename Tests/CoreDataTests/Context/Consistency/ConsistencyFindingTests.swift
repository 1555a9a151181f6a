import TestSupport
import Testing

@testable import CoreData

/// More of what the check finds in damaged contexts, and what it has to let pass.
@Suite(.enabled(if: ConsistencyCheck.isOn, "COREDATA_CONSISTENCY_CHECK=1 switches it on"))
struct ConsistencyFindingTests {
    private func make(
        _ entity: String,
        _ name: String,
        _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        if object.layout.slot(named: "name") != nil { object.setValue(name, forKey: "name") }
        return object
    }

    /// What a body works on: two people of a saved department, all relationships loaded.
    private struct Scene {
        let stack: TestStack
        let context: NSManagedObjectContext
        let department: NSManagedObject
        let people: [NSManagedObject]

        /// Sets what a to-one relationship shows, without a change.
        func show(_ object: NSManagedObject?, as key: String, of owner: NSManagedObject) {
            let slot = owner.requiredSlot(key).index
            _ = owner.toOneObject(slot)
            owner.ensureOverlay().setBox(slot, object)
        }

        func found(isSettled: Bool = true) -> [String] {
            context.inconsistencies(isSettled: isSettled).map(\.sentence)
        }

        func expect(_ part: String, isSettled: Bool = true) {
            let found = found(isSettled: isSettled)
            #expect(found.contains { $0.contains(part) }, "\(found)")
        }
    }

    private func withScene(
        _ model: NSManagedObjectModel = SampleModel.make(),
        _ body: (Scene) throws -> Void
    ) throws {
        let stack = try TestStack(.sqlite, model: model)
        let context = stack.makeContext("mine")
        try context.onQueue {
            let department = make("Department", "d", context)
            let people = ["a", "b"].map { make("Person", $0, context) }
            for person in people { person.setValue(department, forKey: "department") }
            try context.save()
            _ = department.value(forKey: "people")
            let scene = Scene(
                stack: stack,
                context: context,
                department: department,
                people: people
            )
            #expect(scene.found() == [])
            // What is damaged must not stop the process at the next occasion for a check.
            context.consistency?.onFinding = { _ in }
            try body(scene)
            context.reset()
        }
        withExtendedLifetime(stack) {}
    }

    @Test func twoObjectsUnderTwoKeysOfOneRowAreFound() throws {
        try withScene { scene throws in
            let person = scene.people[0]
            let second = person.registry.makeFault(person.primaryKey, row: person.row)
            person.registry.identityMap.set(1_000, person)
            scene.expect("is a second object for its row")
            person.registry.identityMap.remove(1_000, person)
            withExtendedLifetime(second) {}
        }
    }

    @Test func aForeignObjectIsFound() throws {
        try withScene { scene throws in
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

    @Test func anObjectThatHasLeftTheContextIsFound() throws {
        try withScene { scene throws in
            scene.department.flags.insert(.detached)
            scene.expect("is registered, but has left the context (detached)")
            _ = scene.people[0].toOneObject(scene.people[0].requiredSlot("department").index)
            scene.expect("shows Department/p1 in department, which has left the context")
            scene.department.flags.remove(.detached)
        }
    }

    @Test func aToOneThatIsLostOrFromNowhereIsFound() throws {
        try withScene { scene throws in
            scene.show(nil, as: "department", of: scene.people[0])
            scene.expect("shows nil for department, but its row has p1")
            let loner = make("Person", "c", scene.context)
            try scene.context.save()
            scene.show(scene.department, as: "department", of: loner)
            scene.expect("shows Department/p1 for department, but its row has nil")
            scene.expect("has Department/p1 for department, whose people lacks it")
        }
    }

    @Test func aMemberWhoseRowNamesAnotherOwnerIsFound() throws {
        try withScene { scene throws in
            let other = make("Department", "e", scene.context)
            let loner = make("Person", "c", scene.context)
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
        try withScene { scene throws in
            let new = make("Person", "n", scene.context)
            let slot = scene.department.requiredSlot("people").index
            scene.department.toMany(slot).gain(new)
            #expect(scene.found() == [])
            let unsaved = make("Department", "u", scene.context)
            _ = unsaved.toManyObjects(slot)
            scene.show(unsaved, as: "department", of: scene.people[0])
            scene.expect("shows Department/t")
        }
    }

    @Test func aStoreThatCanNotBeReadSaysNothingAgainstWhatIsShown() throws {
        try withScene { scene throws in
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
        try withScene { scene throws in
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
        try withScene { scene throws in
            let tag = make("Tag", "t", scene.context)
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
        try withScene(Self.modelWithDesks()) { scene throws in
            let desk = make("Desk", "", scene.context)
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

    // MARK: Who is told

    @Test func findingsGoToWhoAsksForThem() throws {
        try withScene { scene throws in
            var found: [Inconsistency] = []
            scene.context.consistency?.onFinding = { found += $0 }
            scene.show(nil, as: "department", of: scene.people[0])
            scene.context.checkConsistency(isSettled: { false })
            let sentence = "Person/p1 shows nil for department, but its row has p1"
            #expect(found.map(\.sentence).contains(sentence))
            #expect("\(found)".contains(sentence))
            found = []
            scene.context.checkConsistency(isSettled: { true })
            #expect(found.map(\.sentence).contains(sentence))
            found = []
            NotificationCenter.default.post(
                name: ConsistencyCheck.requestName,
                object: scene.context
            )
            #expect(found.map(\.sentence).contains(sentence))
            found = []
            NotificationCenter.default.post(name: ConsistencyCheck.requestName, object: nil)
            #expect(found.isEmpty)
        }
    }

    @Test func aSaveThatLeavesSomethingWrongIsReported() throws {
        try withScene { scene throws in
            var found: [Inconsistency] = []
            scene.context.consistency?.onFinding = { found += $0 }
            scene.show(nil, as: "department", of: scene.people[0])
            _ = make("Department", "e", scene.context)
            try scene.context.save()
            #expect(found.contains { $0.sentence.contains("shows nil for department") })
        }
    }

    /// Asks for a check while one is under way.
    private final class Curious: ConsistencyWitness {
        var answers: [[Inconsistency]] = []
        func inconsistencies(_ judge: ConsistencyJudge) -> [Inconsistency] {
            answers.append(judge.context.inconsistencies(isSettled: true))
            return []
        }
    }

    @Test func aCheckWithinACheckFindsNothing() throws {
        try withScene { scene throws in
            let witness = Curious()
            scene.context.consistency?.add(witness)
            scene.show(nil, as: "department", of: scene.people[0])
            scene.expect("shows nil for department")
            #expect(witness.answers == [[]])
        }
    }
}
