import CoreData
import TestSupport
import Testing

/// One-to-one relationships that others have saved otherwise than they are changed here: both rows
/// name the partner, and no two may name the same.
@Suite struct UnmergedPartnerTests {
    /// The sample model, with a Desk for one Person.
    static func model() -> NSManagedObjectModel {
        let model = SampleModel.make()
        let desk = NSEntityDescription()
        desk.name = "Desk"
        let number = NSAttributeDescription()
        number.name = "number"
        number.attributeType = .integer32AttributeType
        number.isOptional = true
        let forward = NSRelationshipDescription(), back = NSRelationshipDescription()
        forward.name = "person"
        forward.destinationEntity = model.entitiesByName["Person"]
        back.name = "desk"
        back.destinationEntity = desk
        for (one, other) in [(forward, back), (back, forward)] {
            one.maxCount = 1
            one.isOptional = true
            one.deleteRule = .nullifyDeleteRule
            one.inverseRelationship = other
        }
        desk.properties = [number, forward]
        model.entitiesByName["Person"]?.properties.append(back)
        model.entities.append(desk)
        return model
    }

    private struct Office {
        let people: [NSManagedObject]
        let desk: NSManagedObject
        let other: NSManagedObjectContext

        /// Has another context give the desk to one of the people.
        func giveElsewhere(to index: Int) throws -> Notification {
            try didSave(of: other) {
                try $0.only("Desk")
                    .setValue(try $0.all("Person", sortedBy: "name")[index], forKey: "person")
            }
        }

        /// The people that have the desk in the store.
        func owners() throws -> [String] {
            try other.onQueue {
                other.reset()
                let desk = try other.only("Desk")
                let owners = try other.all("Person", sortedBy: "name")
                    .filter { $0.one("desk") != nil }
                #expect(desk.one("person") === owners.first)
                return owners.compactMap { $0.text("name") }
            }
        }
    }

    private func withOffice(
        _ kind: StoreKind,
        policy: NSMergePolicy,
        _ body: (NSManagedObjectContext, Office) throws -> Void
    ) throws {
        try withStack(kind, model: Self.model()) { stack in
            let context = stack.makeContext(), other = stack.makeContext()
            context.mergePolicy = policy
            try context.onQueue {
                let people = ["a", "b"].map { context.make("Person", ["name": $0]) }
                let desk = context.make("Desk", ["number": 1])
                try context.save()
                try body(context, Office(people: people, desk: desk, other: other))
            }
        }
    }

    /// The row that is read because the partner is gone says that somebody else has the desk by
    /// now, which a change here takes from them.
    @Test(arguments: StoreKind.large)
    func whoGotItFromAPartnerThatIsGoneLosesItToAChangeHere(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            let gone = context.make("Person", ["name": "c", "desk": office.desk])
            try context.save()
            _ = try didSave(of: office.other) {
                $0.delete(try $0.all("Person", sortedBy: "name")[2])
            }
            _ = try office.giveElsewhere(to: 1)
            office.people[0].setValue(office.desk, forKey: "desk")
            context.refresh(gone, mergeChanges: true)
            try context.save()
            #expect(try office.owners() == ["a"])
            #expect(office.desk.one("person") === office.people[0])
            #expect(office.people[1].one("desk") == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func whatIsOverwrittenHasOnePartner(kind: StoreKind) throws {
        try withOffice(kind, policy: .overwrite) { context, office in
            office.people[0].setValue(office.desk, forKey: "desk")
            try context.save()
            // Without a change of the row, the save would not look at it.
            let tag = context.make("Tag", ["label": "t"])
            office.people[1].mutableSetValue(forKey: "tags").add(tag)
            office.people[0].setValue(5, forKey: "age")
            _ = try office.giveElsewhere(to: 1)
            try context.save()
            #expect(try office.owners() == ["a"])
        }
    }

    @Test(arguments: StoreKind.large)
    func aRefreshUnderAChangeTakesThePartnerFromOthers(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            office.desk.setValue(office.people[1], forKey: "person")
            try context.save()
            office.desk.setValue(nil, forKey: "person")
            _ = try office.giveElsewhere(to: 0)
            context.refreshAllObjects()
            try context.save()
            #expect(try office.owners() == [])
        }
    }

    @Test(arguments: StoreKind.large)
    func aMergeUnderAChangeTakesThePartnerFromWhoIsNotRegistered(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            context.reset()
            let desk = try context.only("Desk")
            let first = try #require(try context.all("Person", sortedBy: "name").first)
            desk.setValue(first, forKey: "person")
            let saved = try office.giveElsewhere(to: 1)
            context.mergeChanges(fromContextDidSave: saved)
            try context.save()
            #expect(try office.owners() == ["a"])
            #expect(desk.one("person") === first)
        }
    }

    @Test(arguments: StoreKind.large)
    func clearingOneEndThatWasReadAheadClearsTheOther(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            #expect(office.people.allSatisfy { $0.one("desk") == nil })
            context.refresh(office.desk, mergeChanges: false)
            let saved = try office.giveElsewhere(to: 0)
            office.desk.setValue(nil, forKey: "person")
            try context.save()
            #expect(try office.owners() == [])
            context.mergeChanges(fromContextDidSave: saved)
            #expect(office.people.allSatisfy { $0.one("desk") == nil })
        }
    }

    @Test(arguments: StoreKind.large)
    func aPartnerComesBackToTheObjectWhoseDeletionAConflictTakesBack(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyStoreTrump) { context, office in
            office.people[0].setValue(office.desk, forKey: "desk")
            context.processPendingChanges()
            context.delete(office.desk)
            _ = try didSave(of: office.other) { try $0.only("Desk").setValue(2, forKey: "number") }
            try context.save()
            #expect(!office.desk.isDeleted && office.desk.one("person") === office.people[0])
            #expect(office.people[0].one("desk") === office.desk)
            #expect(try office.owners() == ["a"])
        }
    }

    @Test(arguments: StoreKind.large)
    func givingAndTakingBackWhatWasReadAheadTakesIt(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            #expect(office.people.allSatisfy { $0.one("desk") == nil })
            context.refresh(office.desk, mergeChanges: false)
            let saved = try office.giveElsewhere(to: 1)
            office.people[1].setValue(office.desk, forKey: "desk")
            office.desk.setValue(nil, forKey: "person")
            try context.save()
            #expect(try office.owners() == [])
            context.mergeChanges(fromContextDidSave: saved)
            #expect(office.people[1].one("desk") == nil)
        }
    }

    @Test(arguments: StoreKind.large)
    func whatOthersHaveTakenIsGivenOnBothSides(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            office.people[0].setValue(office.desk, forKey: "desk")
            try context.save()
            context.refresh(office.desk, mergeChanges: false)
            let saved = try didSave(of: office.other) {
                try $0.only("Desk").setValue(nil, forKey: "person")
            }
            office.desk.setValue(office.people[0], forKey: "person")
            try context.save()
            #expect(try office.owners() == ["a"])
            context.mergeChanges(fromContextDidSave: saved)
            #expect(office.people[0].one("desk") === office.desk)
        }
    }

    @Test(arguments: StoreKind.large)
    func aPartnerThatOthersGiveAwayAgainIsWrittenWithItsOwner(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            #expect(office.people.allSatisfy { $0.one("desk") == nil })
            office.people[1].setValue(5, forKey: "age")
            context.refresh(office.desk, mergeChanges: false)
            _ = try office.giveElsewhere(to: 1)
            office.people[1].setValue(office.desk, forKey: "desk")
            _ = try office.giveElsewhere(to: 0)
            try context.save()
            #expect(try office.owners() == ["b"])
        }
    }

    @Test(arguments: StoreKind.large)
    func aDeletionAheadOfItsMergeLeavesNoFormerPartner(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyStoreTrump) { context, office in
            let second = context.make("Desk", ["number": 2, "person": office.people[0]])
            try context.save()
            #expect(second.one("person") === office.people[0])
            context.refresh(office.desk, mergeChanges: false)
            office.people[0].setValue(5, forKey: "age")
            let saved = try didSave(of: office.other) {
                try $0.all("Desk", sortedBy: "number")[0]
                    .setValue(try $0.all("Person", sortedBy: "name")[0], forKey: "person")
            }
            context.delete(office.desk)
            context.mergeChanges(fromContextDidSave: saved)
            #expect(office.people[0].one("desk") == nil && second.one("person") == nil)
            try context.save()
            #expect(try office.owners() == [])
        }
    }

    @Test(arguments: StoreKind.large)
    func whatIsSavedAgainOverADeletionKeepsItsPartner(kind: StoreKind) throws {
        for age in [nil, 5] {
            try withOffice(kind, policy: .overwrite) { context, office in
                office.people[0].setValue(office.desk, forKey: "desk")
                try context.save()
                office.desk.setValue(7, forKey: "number")
                _ = try didSave(of: office.other) { $0.delete(try $0.only("Desk")) }
                if let age { office.people[0].setValue(age, forKey: "age") }
                try context.save()
                #expect(office.people[0].one("desk") === office.desk)
                #expect(office.desk.one("person") === office.people[0])
                #expect(try office.owners() == ["a"])
            }
        }
    }

    @Test(arguments: StoreKind.large)
    func aDeletedObjectThatIsRefreshedLeavesWhomItWasGivenTo(kind: StoreKind) throws {
        let refreshes: [(NSManagedObjectContext, NSManagedObject) throws -> Void] = [
            { context, _ in context.refreshAllObjects() },
            { context, desk in context.refresh(desk, mergeChanges: true) },
        ]
        for refresh in refreshes {
            try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
                #expect(office.people.allSatisfy { $0.one("desk") == nil })
                context.delete(office.desk)
                context.processPendingChanges()
                _ = try office.giveElsewhere(to: 0)
                try refresh(context, office.desk)
                try context.save()
                #expect(office.people[0].one("desk") == nil)
                let desks = try office.other.onQueue {
                    office.other.reset()
                    return try office.other.all("Person", sortedBy: "name").map { $0.one("desk") }
                }
                #expect(desks == [nil, nil])
            }
        }
    }

    @Test(arguments: StoreKind.large)
    func aRefreshingFetchAppliesTheRulesOfDeletions(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            #expect(office.people.allSatisfy { $0.one("desk") == nil })
            context.delete(office.desk)
            context.processPendingChanges()
            _ = try office.giveElsewhere(to: 0)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request)
            #expect(office.people[0].one("desk") == nil)
            try context.save()
            #expect(
                try office.other.onQueue {
                    office.other.reset()
                    return try office.other.all("Person", sortedBy: "name")[0].one("desk") == nil
                }
            )
        }
    }

    @Test(arguments: StoreKind.large)
    func aPartnerThatWasGivenAndLostHereIsWrittenWithWhoTookIt(kind: StoreKind) throws {
        try withOffice(kind, policy: .overwrite) { context, office in
            #expect(office.people.allSatisfy { $0.one("desk") == nil })
            office.people[1].setValue(office.desk, forKey: "desk")
            office.people[0].setValue(5, forKey: "age")
            context.delete(office.people[1])
            _ = try office.giveElsewhere(to: 0)
            try context.save()
            #expect(try office.owners() == [])
        }
    }

    @Test(arguments: StoreKind.large)
    func aPartnerThatWasGivenAndTakenBackHereKeepsBothEnds(kind: StoreKind) throws {
        try withOffice(kind, policy: .rollback) { context, office in
            office.people[0].setValue(office.desk, forKey: "desk")
            try context.save()
            office.desk.setValue(office.people[1], forKey: "person")
            let saved = try office.giveElsewhere(to: 1)
            context.delete(office.people[1])
            context.processPendingChanges()
            office.desk.setValue(office.people[0], forKey: "person")
            try context.save()
            context.mergeChanges(fromContextDidSave: saved)
            let owners = try office.owners()
            #expect(owners.count <= 1)
            #expect(
                office.people.filter { $0.one("desk") != nil }.map { $0.text("name") } == owners
            )
        }
    }

    @Test(arguments: StoreKind.large)
    func whatIsDeletedLeavesAPartnerThatIsNotRegistered(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            office.desk.setValue(office.people[0], forKey: "person")
            context.delete(office.people[0])
            context.processPendingChanges()
            _ = try didSave(of: office.other) {
                $0.make(
                    "Desk",
                    [
                        "number": 2, "person": try $0.all("Person", sortedBy: "name")[0],
                    ]
                )
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Desk")
            request.predicate = NSPredicate(format: "person != nil")
            #expect(try context.count(for: request) == 0)
        }
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            office.desk.setValue(office.people[0], forKey: "person")
            try context.save()
            context.delete(office.people[0])
            context.delete(office.desk)
            context.processPendingChanges()
            _ = try didSave(of: office.other) {
                $0.make("Person", ["name": "c", "desk": try $0.only("Desk")])
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "desk != nil")
            #expect(try context.count(for: request) == 0)
        }
    }

    @Test(arguments: StoreKind.large)
    func anOwnerLosesWhoIsReadAgainForAPartnerThatIsGone(kind: StoreKind) throws {
        try withOffice(kind, policy: .mergeByPropertyStoreTrump) { context, office in
            let department = context.make("Department", ["name": "D"])
            office.people[0].setValue(department, forKey: "department")
            office.people[0].setValue(office.desk, forKey: "desk")
            try context.save()
            #expect(department.set("people") == [office.people[0]])
            office.desk.setValue(9, forKey: "number")
            _ = try didSave(of: office.other) { other in
                let person = try other.all("Person", sortedBy: "name")[0]
                person.setValue(nil, forKey: "department")
                other.delete(try other.only("Desk"))
            }
            try context.save()
            #expect(office.people[0].one("department") == nil)
            #expect(department.set("people").isEmpty)
        }
    }

    /// The order in which objects are refreshed is nobody's to choose.
    @Test(arguments: StoreKind.large, 0..<6)
    func bothEndsAreRefreshedWhereAParentTakesADeletionBack(kind: StoreKind, round: Int) throws {
        try withOffice(kind, policy: .mergeByPropertyObjectTrump) { context, office in
            office.people[0].setValue(office.desk, forKey: "desk")
            try context.save()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            try child.onQueue {
                let people = try child.all("Person", sortedBy: "name")
                let desk = try child.only("Desk")
                #expect(desk.one("person") === people[0] && people[0].one("desk") === desk)
                let id = desk.objectID
                context.performAndWait {
                    context.delete(context.object(with: id))
                    context.processPendingChanges()
                }
                people[1].setValue(desk, forKey: "desk")
                child.delete(people[1])
                child.delete(desk)
                child.processPendingChanges()
                context.performAndWait { context.rollback() }
                child.refreshAllObjects()
                #expect(desk.one("person") == nil && people[0].one("desk") == nil)
            }
        }
    }
}
