import CoreData
import TestSupport
import Testing

/// Deletions of a context that meet saves of others which it has not merged yet.
@Suite struct UnmergedDeletionTests {
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

    @Test(arguments: StoreKind.large)
    func aMemberThatADeletionHasClearedIsNoMembersOfOthers(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p", "department": second])
            try context.save()
            #expect(first.set("people").isEmpty && second.set("people") == [person])
            let gift = try giveAhead(context, other, first)
            context.delete(second)
            context.processPendingChanges()
            context.mergeChanges(fromContextDidSave: gift)
            #expect(person.one("department") == nil && first.set("people").isEmpty)
            try context.save()
            #expect(person.one("department") == nil && first.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.large)
    func ownersFollowWhatASaveFindsInTheStoreOfWhatItDeletes(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            #expect(first.set("people").isEmpty && second.set("people").isEmpty)
            let gift = try giveAhead(context, other, first)
            context.delete(second)
            context.processPendingChanges()
            let move = try didSave(of: other) {
                let departments = try $0.all("Department", sortedBy: "name")
                try $0.only("Person").setValue(departments[1], forKey: "department")
            }
            try context.save()
            #expect(person.one("department") == nil && first.set("people").isEmpty)
            for notification in [gift, move] {
                context.mergeChanges(fromContextDidSave: notification)
            }
            #expect(person.one("department") == nil && first.set("people").isEmpty)
        }
    }
    @Test func aDeletionThatIsTakenBackShowsNothingThatABatchHasDeleted() throws {
        try withTwo(.sqlite) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.delete(person)
            context.processPendingChanges()
            let request = NSBatchDeleteRequest(objectIDs: [department.objectID])
            try other.onQueue { _ = try other.execute(request) }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectsKey: [department.objectID]],
                into: [context]
            )
            context.rollback()
            #expect(!person.isDeleted && person.one("department") == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func aDeletionEndsWhatWasReadBeforeOthersTookItApart(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let tag = context.make("Tag", ["label": "t"])
            let person = context.make("Person", ["name": "p", "tags": Set([tag])])
            try context.save()
            context.refreshAllObjects()
            #expect(tag.set("people") == [person])
            let parting = try didSave(of: other) {
                try $0.only("Person").setValue(Set<NSManagedObject>(), forKey: "tags")
            }
            #expect(person.set("tags").isEmpty)
            context.delete(person)
            context.processPendingChanges()
            #expect(tag.set("people").isEmpty && !tag.hasChanges)
            try context.save()
            context.mergeChanges(fromContextDidSave: parting)
            #expect(tag.set("people").isEmpty)
        }
    }
    @Test(arguments: StoreKind.large)
    func aDeletedFaultLeavesTheOwnerThatWasReadWithIt(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.refreshAllObjects()
            #expect(department.set("people") == [person] && person.isFault)
            let parting = try didSave(of: other) {
                try $0.only("Person").setValue(nil, forKey: "department")
            }
            context.delete(person)
            context.processPendingChanges()
            #expect(department.set("people").isEmpty)
            try context.save()
            context.mergeChanges(fromContextDidSave: parting)
            #expect(department.set("people").isEmpty && !context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.large)
    func aMemberWhoseDeletionAConflictTakesBackIsWhereItWasPutHere(kind: StoreKind) throws {
        try withTwo(kind, policy: .mergeByPropertyStoreTrump) { context, other in
            let playlist = context.make("Playlist", ["title": "P"])
            let songs = ["a", "b"].map { context.make("Song", ["title": $0]) }
            try context.save()
            playlist.setValue(NSOrderedSet(array: songs), forKey: "songs")
            context.processPendingChanges()
            context.delete(songs[0])
            _ = try didSave(of: other) {
                try $0.all("Song", sortedBy: "title")[0].setValue(9, forKey: "seconds")
            }
            try context.save()
            #expect(!songs[0].isDeleted && songs[0].one("playlist") === playlist)
            #expect(titles(playlist).sorted() == ["a", "b"])
        }
    }

    @Test(arguments: StoreKind.allCases, [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
    func membersComeBackUnchangedWithAnOwnerWhoseDeletionIsTakenBack(
        kind: StoreKind,
        policy: NSMergePolicy
    ) throws {
        for isRead in [false, true] {
            try withTwo(kind, policy: policy) { context, other in
                let department = context.make("Department", ["name": "D"])
                let person = context.make("Person", ["name": "p", "department": department])
                try context.save()
                context.refreshAllObjects()
                // A deletion of what was never read meets no conflict.
                #expect(department.text("name") == "D")
                if isRead { #expect(department.set("people") == [person]) }
                context.delete(department)
                context.processPendingChanges()
                #expect(person.one("department") == nil)
                _ = try didSave(of: other) { try $0.only("Department").setValue(9, forKey: "code") }
                let log = NotificationLog(context)
                try context.save()
                log.stop()
                #expect(!department.isDeleted && department.integer("code") == 9)
                #expect(person.one("department") === department)
                #expect(department.set("people") == [person])
                #expect(!context.hasChanges)
                let saved = try #require(log.last(.NSManagedObjectContextDidSave))
                #expect(!saved.objects(NSUpdatedObjectsKey).contains(person))
            }
        }
    }

    /// Read while the member counted as deleted, the owner's content lacks it until it is read again.
    @Test(arguments: StoreKind.allCases)
    func whomOthersHaveRelatedToADeletedObjectShowsItWhenItComesBack(kind: StoreKind) throws {
        try withTwo(kind, policy: .mergeByPropertyStoreTrump) { context, other in
            let person = context.make("Person", ["name": "p"])
            let tag = context.make("Tag", ["label": "t"])
            try context.save()
            context.refreshAllObjects()
            #expect(person.set("tags").isEmpty && person.text("name") == "p")
            context.delete(person)
            context.processPendingChanges()
            _ = try didSave(of: other) {
                let person = try $0.only("Person")
                person.setValue(9, forKey: "age")
                person.mutableSetValue(forKey: "tags").add(try $0.only("Tag"))
            }
            #expect(tag.set("people").isEmpty)
            try context.save()
            #expect(!person.isDeleted && person.integer("age") == 9)
            #expect(tag.set("people") == [person] && person.set("tags") == [tag])
            #expect(!context.hasChanges)
        }
    }

    /// A member's own change keeps it from being read again before the save.
    @Test(arguments: StoreKind.large)
    func aChangedMemberComesBackWithAnOwnerThatOthersHaveGivenItTo(kind: StoreKind) throws {
        try withTwo(kind, policy: .mergeByPropertyStoreTrump) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            person.setValue("q", forKey: "name")
            context.refresh(department, mergeChanges: false)
            #expect(department.text("name") == "D")
            _ = try didSave(of: other) {
                let department = try $0.only("Department")
                department.setValue(9, forKey: "code")
                try $0.only("Person").setValue(department, forKey: "department")
            }
            context.delete(department)
            context.processPendingChanges()
            try context.save()
            #expect(!department.isDeleted && department.integer("code") == 9)
            #expect(person.one("department") === department && person.text("name") == "q")
            #expect(department.set("people") == [person] && !context.hasChanges)
            let stored = try other.onQueue {
                other.reset()
                let person = try other.only("Person")
                return [person.text("name"), person.one("department")?.text("name")]
            }
            #expect(stored == ["q", "D"])
        }
    }

    /// A member that others have given away stays with whom they have given it to.
    @Test(arguments: StoreKind.allCases)
    func membersThatOthersHaveMovedDoNotComeBackWithAnOwner(kind: StoreKind) throws {
        try withTwo(kind, policy: .mergeByPropertyStoreTrump) { context, other in
            let first = context.make("Department", ["name": "A"])
            let second = context.make("Department", ["name": "B"])
            let person = context.make("Person", ["name": "p", "department": first])
            try context.save()
            #expect(first.set("people") == [person])
            context.delete(first)
            context.processPendingChanges()
            _ = try didSave(of: other) {
                let departments = try $0.all("Department", sortedBy: "name")
                departments[0].setValue(9, forKey: "code")
                try $0.only("Person").setValue(departments[1], forKey: "department")
            }
            try context.save()
            #expect(!first.isDeleted && first.set("people").isEmpty)
            #expect(person.one("department") === second && second.set("people") == [person])
            let stored = try other.onQueue {
                other.reset()
                return try other.only("Person").one("department")?.text("name")
            }
            #expect(stored == "B")
        }
    }

    @Test(arguments: StoreKind.large)
    func contentsLetGoOfWhatASaveFindsDeleted(kind: StoreKind) throws {
        try withTwo(kind) { context, other in
            let person = context.make("Person", ["name": "p"])
            let tag = context.make("Tag", ["label": "t"])
            person.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            context.refreshAllObjects()
            #expect(tag.set("people") == [person])
            person.setValue(5, forKey: "age")
            _ = try didSave(of: other) { $0.delete(try $0.only("Person")) }
            try context.save()
            #expect(tag.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.large)
    func membersComeBackWithAnOwnerThatLosesAnotherPartner(kind: StoreKind) throws {
        try withTwo(kind, policy: .mergeByPropertyStoreTrump) { context, other in
            let department = context.make("Department", ["name": "D"])
            let tag = context.make("Tag", ["label": "t"])
            let person = context.make("Person", ["name": "p", "department": department])
            try context.save()
            person.mutableSetValue(forKey: "tags").add(tag)
            context.delete(person)
            _ = try didSave(of: other) {
                try $0.only("Person").setValue(9, forKey: "age")
            }
            context.delete(department)
            try context.save()
            #expect(!person.isDeleted && person.one("department") == nil)
            #expect(person.set("tags") == [tag] && tag.set("people") == [person])
        }
    }

    @Test(arguments: StoreKind.large, [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
    func anOwnerComesBackWithoutMembersThatAreDeletedToo(
        kind: StoreKind,
        policy: NSMergePolicy
    ) throws {
        try withTwo(kind, policy: policy) { context, other in
            let department = context.make("Department", ["name": "D"])
            let person = context.make("Person", ["name": "p"])
            try context.save()
            person.setValue(department, forKey: "department")
            context.delete(department)
            context.delete(person)
            _ = try didSave(of: other) { try $0.only("Department").setValue(9, forKey: "code") }
            try context.save()
            #expect(!department.isDeleted && department.set("people").isEmpty)
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsSavedAgainOverADeletionCanBeRelatedTo(kind: StoreKind) throws {
        try withTwo(kind, policy: .overwrite) { context, other in
            let department = context.make("Department", ["name": "D"])
            try context.save()
            department.setValue("again", forKey: "name")
            _ = try didSave(of: other) { $0.delete(try $0.only("Department")) }
            try context.save()
            context.make("Person", ["name": "p", "department": department])
            try context.save()
            try other.onQueue {
                other.reset()
                let person = try other.only("Person")
                #expect(person.one("department")?.text("name") == "again")
            }
        }
    }
}
