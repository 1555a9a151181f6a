import CoreData
import TestSupport
import Testing

@Suite struct RelationshipTests {
    @Test(arguments: StoreKind.allCases)
    func oneToManyKeepsBothEndsEqual(kind: StoreKind) throws {
        try withContext(kind) { context in
            let first = context.make("Department", ["name": "1"])
            let second = context.make("Department", ["name": "2"])
            let ann = context.make("Person", ["name": "Ann", "department": first])
            let bea = context.make("Person", ["name": "Bea"])
            first.setValue(NSSet(array: [ann, bea]), forKey: "people")
            #expect(bea.one("department") === first)
            try context.save()
            ann.setValue(second, forKey: "department")
            #expect(first.set("people") == [bea] && second.set("people") == [ann])
            second.setValue(NSSet(array: [ann, bea]), forKey: "people")
            #expect(first.set("people").isEmpty && bea.one("department") === second)
            second.setValue(nil, forKey: "people")
            #expect(ann.one("department") == nil && bea.one("department") == nil)
            ann.setValue(second, forKey: "department")
            try context.save()
            context.refreshAllObjects()
            #expect(second.set("people") == [ann])
            #expect(bea.one("department") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func addingToAnUnreadToManyDoesNotDuplicate(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "1"])
            let ann = context.make("Person", ["name": "Ann", "department": department])
            try context.save()
            context.refreshAllObjects()
            #expect(department.hasFault(forRelationshipNamed: "people"))
            let bea = context.make("Person", ["name": "Bea", "department": department])
            ann.setValue(department, forKey: "department")
            #expect(department.set("people") == [ann, bea])
            bea.setValue(nil, forKey: "department")
            ann.setValue(nil, forKey: "department")
            #expect(department.set("people").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func manyToManyKeepsBothEndsEqual(kind: StoreKind) throws {
        try withStack(kind) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let people = (0..<3).map { context.make("Person", ["name": "p\($0)"]) }
                let tags = (0..<3).map { context.make("Tag", ["label": "t\($0)"]) }
                people[0].setValue(NSSet(array: tags), forKey: "tags")
                people[1].setValue(NSSet(array: [tags[0]]), forKey: "tags")
                #expect(tags[0].set("people") == [people[0], people[1]])
                try context.save()
                tags[0].setValue(NSSet(array: [people[1], people[2]]), forKey: "people")
                #expect(people[0].set("tags") == [tags[1], tags[2]])
                try context.save()
            }
            let other = stack.makeContext()
            try other.onQueue {
                let tags = try other.all("Tag", sortedBy: "label")
                #expect(
                    tags[0].set("people").compactMap { $0.text("name") }.sorted() == ["p1", "p2"]
                )
                #expect(tags[1].set("people").compactMap { $0.text("name") } == ["p0"])
                let person = try #require(try other.all("Person", sortedBy: "name").first)
                #expect(person.set("tags") == [tags[1], tags[2]])
                other.delete(tags[1])
                other.processPendingChanges()
                #expect(person.set("tags") == [tags[2]])
                try other.save()
                other.refreshAllObjects()
                #expect(person.set("tags") == [tags[2]])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRelationshipMayBeItsOwnInverse(kind: StoreKind) throws {
        try withContext(kind) { context in
            let people = (0..<3).map { context.make("Person", ["name": "p\($0)"]) }
            people[0].setValue(NSSet(array: [people[1], people[2], people[0]]), forKey: "friends")
            #expect(people[1].set("friends") == [people[0]])
            try context.save()
            context.refreshAllObjects()
            #expect(people[0].set("friends") == Set(people))
            #expect(people[2].set("friends") == [people[0]])
            people[2].setValue(nil, forKey: "friends")
            people[0].setValue(NSSet(array: [people[1]]), forKey: "friends")
            try context.save()
            context.refreshAllObjects()
            #expect(people[0].set("friends") == [people[1]])
            #expect(people[2].set("friends").isEmpty)
            #expect(people[1].set("friends") == [people[0]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsTakenOutOfAnUnreadOrderedRelationshipLeavesTheOthersInOrder(
        kind: StoreKind
    ) throws {
        try withContext(kind) { context in
            let list = context.make("Playlist", ["title": "L"])
            let songs = (0..<6).map { context.make("Song", ["title": "s\($0)"]) }
            songs[5].setValue(list, forKey: "playlist")
            try context.save()
            context.refreshAllObjects()
            #expect(list.hasFault(forRelationshipNamed: "songs"))
            for song in songs[..<5] { song.setValue(list, forKey: "playlist") }
            songs[0].setValue(nil, forKey: "playlist")
            songs[2].setValue(nil, forKey: "playlist")
            songs[0].setValue(list, forKey: "playlist")
            #expect(list.hasFault(forRelationshipNamed: "songs"))
            for _ in 0..<2 {
                let found = (list.value(forKey: "songs") as? NSOrderedSet ?? []).array
                    .compactMap { ($0 as? NSManagedObject)?.text("title") }
                #expect(found == ["s5", "s1", "s3", "s4", "s0"])
                try context.save()
                context.refreshAllObjects()
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func orderedRelationshipsKeepTheirOrder(kind: StoreKind) throws {
        try withContext(kind) { context in
            let list = context.make("Playlist", ["title": "L"])
            let songs = (0..<5).map { context.make("Song", ["title": "s\($0)"]) }
            func titles() -> [String] {
                (list.value(forKey: "songs") as? NSOrderedSet ?? []).array
                    .compactMap { ($0 as? NSManagedObject)?.text("title") }
            }
            list.setValue(NSOrderedSet(array: [3, 1, 4].map { songs[$0] }), forKey: "songs")
            songs[0].setValue(list, forKey: "playlist")
            #expect(titles() == ["s3", "s1", "s4", "s0"])
            try context.save()
            context.refreshAllObjects()
            #expect(titles() == ["s3", "s1", "s4", "s0"])
            list.setValue(NSOrderedSet(array: [0, 1, 2, 3].map { songs[$0] }), forKey: "songs")
            #expect(songs[4].one("playlist") == nil && songs[2].one("playlist") === list)
            try context.save()
            context.refreshAllObjects()
            #expect(titles() == ["s0", "s1", "s2", "s3"])
            context.delete(songs[1])
            context.processPendingChanges()
            #expect(titles() == ["s0", "s2", "s3"])
            try context.save()
            context.refreshAllObjects()
            #expect(titles() == ["s0", "s2", "s3"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oneToOneLetsGoOfEarlierPartners(kind: StoreKind) throws {
        try withContext(kind, model: RulesModel.make()) { context in
            let cars = (0..<2).map { _ in context.make("Car") }
            let engines = (0..<2).map { _ in context.make("Engine") }
            cars[0].setValue(engines[0], forKey: "engine")
            cars[1].setValue(engines[1], forKey: "engine")
            #expect(engines[1].one("car") === cars[1])
            try context.save()
            cars[0].setValue(engines[1], forKey: "engine")
            #expect(engines[0].one("car") == nil && cars[1].one("engine") == nil)
            #expect(engines[1].one("car") === cars[0])
            try context.save()
            context.refreshAllObjects()
            #expect(engines[0].one("car") == nil && cars[1].one("engine") == nil)
            #expect(engines[1].one("car") === cars[0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func nullifyClearsTheOtherEnd(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "1"])
            let ann = context.make("Person", ["name": "Ann", "department": department])
            try context.save()
            context.delete(ann)
            context.processPendingChanges()
            #expect(department.set("people").isEmpty)
            try context.save()
            #expect(try context.number("Department") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func cascadeDeletesTheDestination(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "1"])
            for index in 0..<3 {
                context.make("Employee", ["name": "p\(index)", "department": department])
            }
            try context.save()
            context.refreshAllObjects()
            context.delete(department)
            #expect(context.deletedObjects.count == 1)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 4)
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func denyMakesTheSaveFailUntilTheDestinationGoes(kind: StoreKind) throws {
        try withContext(kind, model: RulesModel.make()) { context in
            let shelf = context.make("Shelf")
            let book = context.make("Book", ["shelf": shelf, "title": "abc"])
            try context.save()
            context.delete(shelf)
            let error = try #require(caughtError(context.save))
            #expect(error.code == NSValidationRelationshipDeniedDeleteError)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "books")
            #expect(shelf.isDeleted)
            context.delete(book)
            try context.save()
            #expect(try context.number("Shelf") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func noActionLeavesTheOtherEndAlone(kind: StoreKind) throws {
        try withContext(kind, model: RulesModel.make()) { context in
            let owner = context.make("Owner")
            let car = context.make("Car", ["owner": owner])
            try context.save()
            context.delete(owner)
            try context.save()
            context.refresh(car, mergeChanges: false)
            let gone = try #require(car.one("owner"))
            #expect(gone.isFault)
            #expect(gone.value(forKey: "name") == nil)
            #expect(gone.isDeleted)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func deletesPropagateAtTheSaveIfAsked(kind: StoreKind) throws {
        try withContext(kind) { context in
            context.propagatesDeletesAtEndOfEvent = false
            let department = context.make("Department", ["name": "1"])
            context.make("Person", ["name": "p", "department": department])
            try context.save()
            context.delete(department)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 1)
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectIDsOfARelationshipComeWithoutObjects(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "1"])
            let ann = context.make("Person", ["name": "Ann", "department": department])
            try context.save()
            #expect(department.objectIDs(forRelationshipNamed: "people") == [ann.objectID])
            #expect(ann.objectIDs(forRelationshipNamed: "department") == [department.objectID])
        }
    }
}

/// A model with rules that the sample model lacks.
enum RulesModel {
    static func make() -> NSManagedObjectModel {
        let shelf = entity("Shelf", [:])
        let book = entity(
            "Book",
            ["title": .stringAttributeType, "pages": .integer32AttributeType]
        )
        let car = entity("Car", [:])
        let engine = entity("Engine", [:])
        let owner = entity("Owner", ["name": .stringAttributeType])
        relate(shelf, "books", .denyDeleteRule, 0, book, "shelf", 1)
        relate(car, "engine", .nullifyDeleteRule, 1, engine, "car", 1)
        relate(owner, "cars", .noActionDeleteRule, 0, car, "owner", 1)
        let model = NSManagedObjectModel()
        model.entities = [shelf, book, car, engine, owner]
        return model
    }

    static func entity(
        _ name: String,
        _ attributes: [String: NSAttributeType]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }

    static func relate(
        _ source: NSEntityDescription,
        _ name: String,
        _ rule: NSDeleteRule,
        _ maximum: Int,
        _ destination: NSEntityDescription,
        _ inverseName: String,
        _ inverseMaximum: Int
    ) {
        let forward = NSRelationshipDescription(), back = NSRelationshipDescription()
        forward.name = name
        forward.destinationEntity = destination
        forward.maxCount = maximum
        forward.deleteRule = rule
        back.name = inverseName
        back.destinationEntity = source
        back.maxCount = inverseMaximum
        forward.inverseRelationship = back
        back.inverseRelationship = forward
        source.properties.append(forward)
        destination.properties.append(back)
    }
}
