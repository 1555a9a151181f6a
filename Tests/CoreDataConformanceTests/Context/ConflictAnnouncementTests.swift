import CoreData
import TestSupport
import Testing

private final class StaffedDepartment: NSManagedObject {
    static let lacksStaff = 77

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        if set("people").isEmpty { throw NSError(domain: "Staff", code: Self.lacksStaff) }
    }
}

/// What a merge policy takes from the store is told to everybody whom it concerns.
@Suite struct ConflictAnnouncementTests {
    /// Runs a body in a context whose saves let the object trump, beside another context.
    private func withTwo(
        _ kind: StoreKind,
        model: NSManagedObjectModel = SampleModel.make(),
        _ body: (_ context: NSManagedObjectContext, _ other: NSManagedObjectContext) throws -> Void
    ) throws {
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.onQueue { try body(context, other) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func listsFollowTheValuesThatAreTakenFromTheStore(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let people = (1...3).map { context.make("Person", ["name": "p\($0)", "age": $0]) }
            try context.save()
            let all = try FollowedPeople(context, sortedBy: "age")
            let young = try FollowedPeople(context, "age < 50", sortedBy: "age")
            _ = try didSave(of: other) {
                let people = try $0.all("Person", sortedBy: "name")
                people[0].setValue(99, forKey: "age")
                people[1].setValue(10, forKey: "age")
            }
            for person in people { person.setValue(1.5, forKey: "height") }
            let log = NotificationLog(context)
            try context.save()
            log.stop()
            #expect(people.map { $0.integer("age") } == [99, 10, 3])
            #expect(all.names == all.mirroredNames)
            #expect(all.ages == all.ages.sorted())
            #expect(young.names == young.mirroredNames)
            #expect(young.ages == all.ages.filter { $0 < 50 })
            let refreshed = log.notifications.reduce(into: Set<NSManagedObject>()) {
                $0.formUnion($1.objects(NSRefreshedObjectsKey))
            }
            #expect(refreshed.contains(people[0]))
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsFollowWhatIsTakenFromTheStore(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p", "department": first])
            try context.save()
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
            _ = try didSave(of: other) {
                try $0.only("Person")
                    .setValue(try $0.all("Department", sortedBy: "name")[1], forKey: "department")
            }
            person.setValue("q", forKey: "name")
            try context.save()
            #expect(person.one("department") === second)
            #expect(first.set("people").isEmpty && second.set("people") == [person])
            #expect(!context.hasChanges)
            // Taking it back is a change, which is stored.
            person.setValue(first, forKey: "department")
            #expect(context.hasChanges)
            try context.save()
            other.performAndWait { other.reset() }
            let name = try other.onQueue {
                try other.only("Person").one("department")?.text("name")
            }
            #expect(name == "A")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func orderedRelationshipsFollowWhatIsTakenFromTheStore(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let first = context.make("Playlist", ["title": "A"])
            let second = context.make("Playlist", ["title": "B"])
            let songs = (0..<3).map { context.make("Song", ["title": "\($0)"]) }
            first.setValue(NSOrderedSet(array: songs), forKey: "songs")
            try context.save()
            func titles(_ playlist: NSManagedObject) -> [String] {
                (playlist.value(forKey: "songs") as? NSOrderedSet)?.array
                    .compactMap { ($0 as? NSManagedObject)?.text("title") } ?? []
            }
            #expect(titles(first) == ["0", "1", "2"] && titles(second) == [])
            _ = try didSave(of: other) {
                try $0.all("Song", sortedBy: "title")[1]
                    .setValue(try $0.all("Playlist", sortedBy: "title")[1], forKey: "playlist")
            }
            songs[1].setValue(7, forKey: "seconds")
            try context.save()
            #expect(songs[1].one("playlist") === second)
            #expect(titles(first) == ["0", "2"] && titles(second) == ["1"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsOfOneToOneFollowWhatIsTakenFromTheStore(kind: StoreKind) throws {
        try withTwo(kind, model: Self.desks()) { context, other in
            let first = context.make("Desk", ["name": "A"])
            let second = context.make("Desk", ["name": "B"])
            let owner = context.make("Owner", ["name": "o", "desk": first])
            try context.save()
            #expect(first.one("owner") === owner && second.one("owner") == nil)
            _ = try didSave(of: other) {
                try $0.only("Owner")
                    .setValue(try $0.all("Desk", sortedBy: "name")[1], forKey: "desk")
            }
            owner.setValue("p", forKey: "name")
            try context.save()
            #expect(owner.one("desk") === second)
            #expect(first.one("owner") == nil && second.one("owner") === owner)
            first.setValue("C", forKey: "name")
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aPartnerThatAConflictGivesBackLeavesTheOneThatItWasGivenTo(kind: StoreKind) throws {
        try withTwo(kind, model: Self.desks()) { context, other in
            context.mergePolicy = NSMergePolicy.rollback
            let desk = context.make("Desk", ["name": "D"])
            let first = context.make("Owner", ["name": "a", "desk": desk])
            let second = context.make("Owner", ["name": "b"])
            try context.save()
            #expect(second.one("desk") == nil)
            _ = try didSave(of: other) {
                try $0.all("Owner", sortedBy: "name")[0].setValue("c", forKey: "name")
            }
            desk.setValue(second, forKey: "owner")
            try context.save()
            #expect(first.one("desk") === desk && desk.one("owner") === first)
            #expect(second.one("desk") == nil && !context.hasChanges)
            other.performAndWait { other.reset() }
            let names = try other.onQueue {
                try other.all("Owner", sortedBy: "name").map { $0.one("desk")?.text("name") }
            }
            #expect(names == [nil, "D"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aPartnerIsTakenFromTheOneThatAMergeGivesItTo(kind: StoreKind) throws {
        try withTwo(kind, model: Self.desks()) { context, other in
            let desk = context.make("Desk", ["name": "D"])
            let first = context.make("Owner", ["name": "a"])
            let second = context.make("Owner", ["name": "b"])
            try context.save()
            #expect(desk.one("owner") == nil && second.one("desk") == nil)
            let saved = try didSave(of: other) {
                try $0.only("Desk")
                    .setValue(try $0.all("Owner", sortedBy: "name")[1], forKey: "owner")
            }
            desk.setValue(first, forKey: "owner")
            context.mergeChanges(fromContextDidSave: saved)
            #expect(desk.one("owner") === first)
            #expect(first.one("desk") === desk && second.one("desk") == nil)
            try context.save()
            other.performAndWait { other.reset() }
            let names = try other.onQueue {
                try other.all("Owner", sortedBy: "name").map { $0.one("desk")?.text("name") }
            }
            #expect(names == ["D", nil])
        }
    }

    /// The row of the other save is older than what was saved on top of it; the rest of it is not.
    @Test(arguments: StoreKind.allCases)
    func whatElseTheOtherSaveHasChangedComesWithItsMerge(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            #expect(person.set("tags").isEmpty && tag.set("people").isEmpty)
            #expect(department.set("people").isEmpty)
            let saved = try didSave(of: other) {
                let person = try $0.only("Person")
                person.setValue(9, forKey: "age")
                person.mutableSetValue(forKey: "tags").add(try $0.only("Tag"))
                let department = try $0.only("Department")
                department.setValue(1, forKey: "code")
                $0.make("Person", ["name": "q", "department": department])
            }
            person.setValue("r", forKey: "name")
            department.setValue("E", forKey: "name")
            try context.save()
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.integer("age") == 9 && department.integer("code") == 1)
            #expect(person.set("tags") == [tag] && tag.set("people") == [person])
            #expect(department.set("people").count == 1)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectThatIsGoneIsNeverStoredInRelationships(kind: StoreKind) throws {
        let model = SampleModel.make()
        let department = model.entitiesByName["Person"]?.relationshipsByName["department"]
        department?.isOptional = false
        department?.inverseRelationship?.deleteRule = .nullifyDeleteRule
        try withTwo(kind, model: model) { context, other in
            let gone = context.make("Department", ["name": "A"])
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            _ = try didSave(of: other) { $0.delete(try $0.only("Department")) }
            gone.setValue("B", forKey: "name")
            let person = context.make("Person", ["name": "p", "department": gone])
            let error = try #require(caughtError(context.save))
            #expect(error.code == NSManagedObjectValidationError)
            #expect(person.isInserted && context.hasChanges)
            context.delete(person)
            tag.setValue("u", forKey: "label")
            try context.save()
            #expect(try context.number("Department") == 0 && !context.hasChanges)
        }
    }

    /// The deletion prevails over the change that it meets, and with the change come members that
    /// the rule did not see when it was looked at first.
    @Test(arguments: StoreKind.allCases)
    func aDeletionIsDeniedByWhomOthersHaveAdded(kind: StoreKind) throws {
        let model = SampleModel.make()
        model.entitiesByName["Person"]?.relationshipsByName["tags"]?.deleteRule = .denyDeleteRule
        try withTwo(kind, model: model) { context, other in
            let person = context.make("Person", ["name": "p"])
            context.make("Tag", ["label": "t"])
            try context.save()
            _ = try didSave(of: other) {
                let person = try $0.only("Person")
                person.setValue("q", forKey: "name")
                person.mutableSetValue(forKey: "tags").add(try $0.only("Tag"))
            }
            context.delete(person)
            #expect(errorCode(context.save) == NSValidationRelationshipDeniedDeleteError)
            #expect(try other.onQueue { try other.only("Person").set("tags").count } == 1)
        }
    }

    /// What is left when a conflict is resolved is validated once more. Others have deleted in the
    /// store itself, where nobody is validated.
    @Test func whoHasLostTheLastMemberThatItMustHaveIsNotSaved() throws {
        let model = SampleModel.make()
        model.entitiesByName["Department"]?.managedObjectClassName =
            NSStringFromClass(StaffedDepartment.self)
        try withTwo(.sqlite, model: model) { context, other in
            let department = context.make("Department", ["name": "A"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            #expect(department.set("people") == [person])
            try other.onQueue {
                let people = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
                _ = try other.execute(NSBatchDeleteRequest(fetchRequest: people))
            }
            person.setValue("q", forKey: "name")
            department.setValue("B", forKey: "name")
            #expect(errorCode(context.save) == StaffedDepartment.lacksStaff)
            #expect(department.set("people").isEmpty && context.hasChanges)
            let name = try other.onQueue {
                other.reset()
                return try other.only("Department").text("name")
            }
            #expect(name == "A")
        }
    }

    /// The save takes the person from a department that its context has never seen.
    @Test(arguments: StoreKind.allCases)
    func anOwnerThatASaveDoesNotKnowLearnsWhatItHasLost(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let theirs = try other.onQueue {
                let theirs = ["a", "b", "c"].map { other.make("Department", ["name": $0]) }
                other.make("Person", ["name": "p", "department": theirs[0]])
                try other.save()
                return theirs
            }
            let person = try context.only("Person")
            #expect(person.one("department")?.text("name") == "a")
            let second = try context.existingObject(with: theirs[1].objectID)
            try other.onQueue {
                let person = try other.only("Person")
                person.setValue(theirs[2], forKey: "department")
                try other.save()
                #expect(theirs[2].set("people") == [person])
                // A fault does not know whose it was when the merge tells of another owner.
                other.refresh(person, mergeChanges: false)
            }
            let saved = try didSave(of: context) { _ in
                person.setValue(second, forKey: "department")
            }
            try other.onQueue {
                other.mergeChanges(fromContextDidSave: saved)
                #expect(theirs[2].set("people").isEmpty)
                let moved = try other.only("Person")
                #expect(theirs[1].set("people") == [moved])
            }
        }
    }

    private static func desks() -> NSManagedObjectModel {
        func entity(_ name: String) -> NSEntityDescription {
            let attribute = NSAttributeDescription()
            attribute.name = "name"
            attribute.attributeType = .stringAttributeType
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "NSManagedObject"
            entity.properties = [attribute]
            return entity
        }
        let desk = entity("Desk"), owner = entity("Owner")
        let ends = [("owner", desk, owner), ("desk", owner, desk)].map { name, source, target in
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = target
            relationship.maxCount = 1
            relationship.minCount = 0
            relationship.isOptional = true
            source.properties += [relationship]
            return relationship
        }
        ends[0].inverseRelationship = ends[1]
        ends[1].inverseRelationship = ends[0]
        let model = NSManagedObjectModel()
        model.entities = [desk, owner]
        return model
    }
}
