import CoreData
import TestSupport
import Testing

/// What becomes of changes of a context that meet saves of others which it has not merged yet.
@Suite struct UnmergedChangeTests {
    /// Runs a body in a context, beside another one whose saves it may merge.
    private func withTwo(
        _ kind: StoreKind,
        rule: NSDeleteRule = .nullifyDeleteRule,
        policy: NSMergePolicy = .mergeByPropertyObjectTrump,
        _ body: (_ context: NSManagedObjectContext, _ other: NSManagedObjectContext) throws -> Void
    ) throws {
        let model = SampleModel.make()
        model.entitiesByName["Department"]?.relationshipsByName["people"]?.deleteRule = rule
        try withStack(kind, model: model) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.mergePolicy = policy
            try context.onQueue { try body(context, other) }
        }
    }

    /// Has another context relate the only person to the only department.
    private func employ(_ other: NSManagedObjectContext) throws -> Notification {
        try didSave(of: other) {
            try $0.only("Person").setValue(try $0.only("Department"), forKey: "department")
        }
    }

    // MARK: Deletions

    @Test(arguments: StoreKind.large)
    func deleteRulesHoldForWhatAMergeRelatesToADeletedObject(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.delete(department)
            context.processPendingChanges()
            context.mergeChanges(fromContextDidSave: try employ(other))
            #expect(person.one("department") == nil && person.isUpdated)
            try context.save()
            other.performAndWait { other.reset() }
            #expect(try other.onQueue { try other.only("Person").one("department") } == nil)
        }
        try withTwo(kind, rule: .cascadeDeleteRule) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.delete(department)
            context.processPendingChanges()
            context.mergeChanges(fromContextDidSave: try employ(other))
            #expect(person.isDeleted)
            try context.save()
            #expect(try other.onQueue { try other.number("Person") } == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func deleteRulesHoldForWhatIsInTheStoreWhenADeletionIsSaved(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.delete(department)
            context.processPendingChanges()
            let saved = try employ(other)
            try context.save()
            #expect(person.one("department") == nil)
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.one("department") == nil && !context.hasChanges)
            other.performAndWait { other.reset() }
            #expect(try other.onQueue { try other.only("Person").one("department") } == nil)
        }
        try withTwo(kind, rule: .cascadeDeleteRule) { context, other in
            let department = context.make("Department", ["name": "D"])
            context.make("Person", ["name": "p"])
            try context.save()
            context.delete(department)
            context.processPendingChanges()
            _ = try employ(other)
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.large)
    func aDenyingRuleSeesWhatIsInTheStoreWhenADeletionIsSaved(kind: StoreKind) throws {
        try withTwo(kind, rule: .denyDeleteRule) { context, other in
            let department = context.make("Department", ["name": "D"])
            context.make("Person", ["name": "p"])
            try context.save()
            context.delete(department)
            context.processPendingChanges()
            _ = try employ(other)
            #expect(errorCode(context.save) == NSValidationRelationshipDeniedDeleteError)
            context.rollback()
            #expect(try context.only("Person").one("department") === department)
        }
    }

    @Test(arguments: StoreKind.large)
    func refreshingFindsThatAnUnsavedNeighbourIsGone(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let person = context.make("Person", ["name": "p"])
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            person.mutableSetValue(forKey: "tags").add(tag)
            context.processPendingChanges()
            _ = try didSave(of: other) { $0.delete(try $0.only("Tag")) }
            context.refreshAllObjects()
            #expect(tag.isDeleted && person.set("tags").isEmpty)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.large)
    func aFaultThatIsFoundToBeGoneLeavesItsNeighbours(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.refreshAllObjects()
            #expect(department.set("people") == [person])
            _ = try didSave(of: other) { $0.delete(try $0.only("Person")) }
            context.refresh(person, mergeChanges: false)
            #expect(person.text("name") == nil && person.isDeleted)
            context.processPendingChanges()
            #expect(department.set("people").isEmpty)
        }
    }

    // MARK: Undo

    @Test(arguments: StoreKind.large)
    func anUndoneDeletionIsShownByWhomOthersHaveRelatedItTo(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.undoManager = UndoManager()
            #expect(department.set("people").isEmpty)
            context.step { context.delete(person) }
            context.mergeChanges(fromContextDidSave: try employ(other))
            context.undo()
            #expect(!person.isDeleted && person.one("department") === department)
            #expect(department.set("people") == [person] && !context.hasChanges)
            context.redo()
            #expect(person.isDeleted && department.set("people").isEmpty)
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.large)
    func anUndoneDeletionBringsBackWhatItsRuleHasDeletedSince(kind: StoreKind) throws {
        try withTwo(kind, rule: .cascadeDeleteRule) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.undoManager = UndoManager()
            context.step { context.delete(department) }
            context.mergeChanges(fromContextDidSave: try employ(other))
            #expect(person.isDeleted)
            context.undo()
            #expect(!department.isDeleted && !person.isDeleted)
            #expect(person.one("department") === department && !context.hasChanges)
            #expect(department.set("people") == [person])
            context.redo()
            #expect(department.isDeleted && person.isDeleted)
            try context.save()
            #expect(try other.onQueue { try other.number("Person") } == 0)
        }
    }

    // MARK: Relationships

    @Test(arguments: StoreKind.large)
    func aMemberThatOthersHaveAddedCanBeRemoved(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            context.refresh(department, mergeChanges: false)
            let saved = try employ(other)
            #expect(department.set("people") == [person])
            department.setValue(Set<NSManagedObject>(), forKey: "people")
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.one("department") == nil)
            try context.save()
            other.performAndWait { other.reset() }
            #expect(try other.onQueue { try other.only("Person").one("department") } == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func aMemberThatIsGivenBackToItsOwnerIsShownByIt(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p", "department": first])
            try context.save()
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
            person.setValue(second, forKey: "department")
            let saved = try didSave(of: other) {
                try $0.only("Person")
                    .setValue(try $0.all("Department", sortedBy: "name")[1], forKey: "department")
            }
            person.setValue(first, forKey: "department")
            context.mergeChanges(fromContextDidSave: saved)
            #expect(person.one("department") === first)
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
            try context.save()
            #expect(first.set("people") == [person] && second.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.large)
    func aRemovalThatIsTakenBackPutsAMemberLastInTheStoreToo(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let playlist = context.make("Playlist", ["title": "P"])
            let songs = (0..<3).map { context.make("Song", ["title": "\($0)"]) }
            playlist.setValue(NSOrderedSet(array: songs), forKey: "songs")
            try context.save()
            #expect(Self.titles(playlist) == ["0", "1", "2"])
            songs[0].setValue(nil, forKey: "playlist")
            songs[0].setValue(playlist, forKey: "playlist")
            #expect(Self.titles(playlist) == ["1", "2", "0"])
            try context.save()
            #expect(
                try other.onQueue { Self.titles(try other.only("Playlist")) } == ["1", "2", "0"]
            )
        }
    }

    private static func titles(_ playlist: NSManagedObject) -> [String] {
        (playlist.value(forKey: "songs") as? NSOrderedSet)?.array
            .compactMap { ($0 as? NSManagedObject)?.text("title") } ?? []
    }

    // MARK: Conflicts

    @Test(arguments: StoreKind.large)
    func aRemovalThatAConflictTakesBackLeavesTheOrder(kind: StoreKind) throws {
        try withTwo(kind, policy: .rollback) { context, other in
            let playlist = context.make("Playlist", ["title": "P"])
            let songs = (0..<3).map { context.make("Song", ["title": "\($0)"]) }
            playlist.setValue(NSOrderedSet(array: songs), forKey: "songs")
            try context.save()
            #expect(Self.titles(playlist) == ["0", "1", "2"])
            songs[0].setValue(nil, forKey: "playlist")
            _ = try didSave(of: other) {
                try $0.all("Song", sortedBy: "title")[0].setValue(9, forKey: "seconds")
            }
            try context.save()
            #expect(Self.titles(playlist) == ["0", "1", "2"])
        }
    }

    @Test(arguments: StoreKind.large)
    func anObjectWhoseDeletionAConflictTakesBackIsRelatedAgain(kind: StoreKind) throws {
        try withTwo(kind, policy: .rollback) { context, other in
            let department = context.make("Department", ["name": "D"])
            let tag = context.make("Tag", ["label": "t"])
            let person = context.make("Person", ["name": "p", "department": department])
            person.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            #expect(department.set("people") == [person] && tag.set("people") == [person])
            context.delete(person)
            _ = try didSave(of: other) { try $0.only("Person").setValue(9, forKey: "age") }
            try context.save()
            #expect(!person.isDeleted && person.integer("age") == 9)
            #expect(department.set("people") == [person] && tag.set("people") == [person])
            #expect(person.one("department") === department && person.set("tags") == [tag])
        }
    }

    @Test(arguments: StoreKind.large)
    func aCascadeOverAConflictThatTheStoreWinsEnds(kind: StoreKind) throws {
        try withTwo(kind, rule: .cascadeDeleteRule, policy: .mergeByPropertyStoreTrump) {
            context,
            other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.delete(department)
            _ = try didSave(of: other) { try $0.only("Person").setValue(9, forKey: "age") }
            try context.save()
            #expect(try context.number("Department") == 0 && !context.hasChanges)
            #expect(!person.isDeleted && person.one("department") == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func overwritingTakesAnObjectFromTheOwnerThatOthersHaveGivenItTo(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p", "department": first])
            try context.save()
            context.refresh(second, mergeChanges: false)
            _ = try didSave(of: other) {
                try $0.only("Person")
                    .setValue(try $0.all("Department", sortedBy: "name")[1], forKey: "department")
            }
            #expect(second.set("people") == [person])
            person.setValue("q", forKey: "name")
            try context.save()
            #expect(person.one("department") === first && second.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.large)
    func overwritingBringsNoRelationshipToADeletedObjectBack(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            _ = try didSave(of: other) { $0.delete(try $0.only("Department")) }
            person.setValue("q", forKey: "name")
            try context.save()
            #expect(person.one("department") == nil)
            other.performAndWait { other.reset() }
            let stored = try other.onQueue { () -> (String?, Bool) in
                let person = try other.only("Person")
                return (person.text("name"), person.one("department") == nil)
            }
            #expect(stored == ("q", true))
        }
    }

    @Test(arguments: StoreKind.large)
    func whatIsRefreshedBeforeARollBackIsFollowedAfterwards(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let person = context.make("Person", ["name": "p", "age": 1])
            try context.save()
            let young = try FollowedPeople(context, "age < 10", sortedBy: "name")
            context.refresh(person, mergeChanges: true)
            context.rollback()
            let saved = try didSave(of: other) { try $0.only("Person").setValue(20, forKey: "age") }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(young.names.isEmpty && young.mirroredNames.isEmpty)
        }
    }

    // MARK: Children

    @Test(arguments: StoreKind.large)
    func aChildTakesWhatItDeletesFromWhatItsParentHasGivenItTo(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let parent = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            try parent.onQueue {
                parent.make("Tag", ["label": "t"])
                parent.make("Person", ["name": "p"])
                try parent.save()
            }
            let people = try child.onQueue { () -> [NSManagedObject] in
                let people = try child.all("Person")
                #expect(people[0].set("tags").isEmpty)
                return people
            }
            try parent.onQueue {
                try parent.only("Person").mutableSetValue(forKey: "tags")
                    .add(try parent.only("Tag"))
                parent.processPendingChanges()
            }
            try child.onQueue {
                let tag = try child.only("Tag")
                #expect(tag.set("people") == Set(people))
                child.delete(people[0])
                child.processPendingChanges()
                #expect(tag.set("people").isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.large)
    func aListTakesInWhatItsContextHasFetchedAheadOfTheMerge(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let root = stack.makeContext(), other = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = root
            let list = try FollowedPeople(child, sortedBy: "name")
            let saved = try didSave(of: other) { $0.make("Person", ["name": "p"]) }
            try child.onQueue {
                let fetched = try child.only("Person")
                #expect(fetched.text("name") == "p" && list.names.isEmpty)
                root.onQueue { root.mergeChanges(fromContextDidSave: saved) }
                child.mergeChanges(fromContextDidSave: saved)
                #expect(list.names == ["p"] && list.mirroredNames == ["p"])
            }
        }
    }
}
