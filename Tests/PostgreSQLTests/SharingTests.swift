#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// What one machine saves is what others read.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct SharingTests {
    @Test func anotherMachineReadsAllKindsOfValues() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        let identifier = UUID(), born = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let values: [String: Any] = [
            "name": "Zoë \u{1F600}", "age": 41, "height": 1.75, "isActive": false, "born": born,
            "identifier": identifier, "balance": NSDecimalNumber(string: "10.11"),
            "photo": Data([0, 1, 255]), "homepage": URL(string: "https://example.org/a?b=c") as Any,
            "salary": Int64.max, "bonus": Float(0.5),
        ]
        let uri = try one.insert("Manager", values)
        let two = try database.machine("two")
        try two.perform { context in
            let id = two.coordinator.managedObjectID(forURIRepresentation: uri)
            let object = try context.existingObject(with: try #require(id))
            #expect(object.entity.name == "Manager")
            for (key, value) in values {
                #expect((object.value(forKey: key) as? NSObject)?.isEqual(value) == true, "\(key)")
            }
        }
    }

    @Test func insertsUpdatesAndDeletesArriveInAReplicaThatIsThere() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try one.insert("Tag", ["label": "a"])
        try one.insert("Tag", ["label": "b"])
        try two.catchUp()
        #expect(try two.values("Tag", "label") == ["a", "b"])
        try one.perform { context in
            try context.first("Tag", by: "label").setValue("c", forKey: "label")
            try context.save()
        }
        try two.catchUp()
        #expect(try two.values("Tag", "label") == ["b", "c"])
        try two.perform { context in
            context.delete(try context.first("Tag", by: "label"))
            try context.save()
        }
        try one.catchUp()
        #expect(try one.values("Tag", "label") == ["c"])
    }

    @Test func savesArriveByThemselves() async throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        let coordinator = two.coordinator
        // The notification is posted when the replica has the rows.
        let counts = Guarded(0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange,
            object: coordinator,
            queue: nil
        ) { _ in counts.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(token) }
        try one.insert("Tag", ["label": "a"])
        try await eventually("a remote change") { counts.withLock { $0 } > 0 }
        #expect(try two.values("Tag", "label") == ["a"])
    }

    @Test func relationshipsOfAllKindsArrive() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        func make(
            _ entity: String,
            _ key: String,
            _ value: String,
            _ context: NSManagedObjectContext
        )
            -> NSManagedObject
        {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(value, forKey: key)
            return object
        }
        try one.perform { context in
            let department = make("Department", "name", "Kitchen", context)
            let ann = make("Person", "name", "Ann", context)
            let bob = make("Employee", "name", "Bob", context)
            let tag = make("Tag", "label", "t", context)
            ann.setValue(department, forKey: "department")
            bob.setValue(department, forKey: "department")
            ann.mutableSetValue(forKey: "tags").add(tag)
            ann.mutableSetValue(forKey: "friends").add(bob)
            let list = make("Playlist", "title", "List", context)
            let songs = ["x", "y", "z"].map { make("Song", "title", $0, context) }
            list.mutableOrderedSetValue(forKey: "songs").addObjects(from: songs)
            try context.save()
        }
        try two.catchUp()
        try two.perform { context in
            let ann = try context.first("Person", by: "name")
            #expect(ann.value(forKeyPath: "department.name") as? String == "Kitchen")
            #expect(ann.value(forKeyPath: "tags.label") as? NSSet == ["t"])
            #expect(ann.value(forKeyPath: "friends.name") as? NSSet == ["Bob"])
            let list = try context.first("Playlist", by: "title")
            let songs = list.mutableOrderedSetValue(forKey: "songs")
            #expect(
                songs.array.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") }
                    as? [String] == ["x", "y", "z"]
            )
            // Changes of each kind go the other way.
            songs.moveObjects(at: IndexSet(integer: 2), to: 0)
            ann.mutableSetValue(forKey: "tags").removeAllObjects()
            ann.mutableSetValue(forKey: "friends").removeAllObjects()
            let department = try context.first("Department", by: "name")
            context.delete(department)
            try context.save()
        }
        try one.catchUp()
        try one.perform { context in
            #expect(
                try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) == 0
            )
            let tag = try context.first("Tag", by: "label")
            #expect((tag.value(forKey: "people") as? NSSet)?.count == 0)
            let list = try context.first("Playlist", by: "title")
            let songs = list.mutableOrderedSetValue(forKey: "songs").array
            #expect(
                songs.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") }
                    as? [String] == ["z", "x", "y"]
            )
        }
    }

    /// Counts and copies of other rows' values, which no server has. By its name the owner's table is
    /// read behind that of its members.
    @Test func derivedValuesAreRightInEachReplica() throws {
        func model() -> NSManagedObjectModel {
            let model = SampleModel.make()
            for (entity, name, type, path) in [
                ("Department", "size", .integer64AttributeType, "people.@count"),
                ("Tag", "use", .integer64AttributeType, "people.@count"),
                ("Person", "where", .stringAttributeType, "department.name"),
            ] as [(String, String, NSAttributeType, String)] {
                let derived = NSDerivedAttributeDescription()
                derived.name = name
                derived.attributeType = type
                derived.derivationExpression = NSExpression(forKeyPath: path)
                model.entitiesByName[entity]?.properties.append(derived)
            }
            model.entitiesByName["Department"]?.name = "Workplace"
            return model
        }
        let database = try SharedDatabase()
        let one = try database.machine("one", model: model())
        let following = try database.machine("two", model: model())
        func check(_ machine: Machine, _ size: String) throws {
            try machine.catchUp()
            #expect(try machine.values("Workplace", "size") == [size])
            #expect(try machine.values("Tag", "use") == [size])
            let places = try machine.values("Person", "where")
            #expect(places.allSatisfy { $0 == "Kitchen" } && "\(places.count)" == size)
        }
        try one.perform { context in
            func make(_ entity: String, _ key: String, _ value: String) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: entity,
                    into: context
                )
                object.setValue(value, forKey: key)
                return object
            }
            let workplace = make("Workplace", "name", "Kitchen"), tag = make("Tag", "label", "t")
            for person in ["Ann", "Bob"].map({ make("Person", "name", $0) }) {
                person.setValue(workplace, forKey: "department")
                person.mutableSetValue(forKey: "tags").add(tag)
            }
            try context.save()
        }
        for machine in [one, following, try database.machine("three", model: model())] {
            try check(machine, "2")
        }
        try one.perform { context in
            context.delete(try context.first("Person", by: "name"))
            try context.save()
        }
        for machine in [one, following, try database.machine("four", model: model())] {
            try check(machine, "1")
        }
    }

    @Test func membersThatTwoMachinesAddToOneOwnerAreAllThere() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try one.insert("Person", ["name": "Ann"])
        try two.catchUp()
        for (machine, label) in [(one, "a"), (two, "b")] {
            try machine.addTag(label)
        }
        for machine in [one, two] {
            try machine.catchUp()
            try machine.perform { context in
                let person = try context.first("Person", by: "name")
                #expect(person.value(forKeyPath: "tags.label") as? NSSet == ["a", "b"])
            }
        }
    }

    @Test func largeValuesThatReplicasKeepInFilesArrive() throws {
        func model() -> NSManagedObjectModel {
            let model = SampleModel.make()
            let photo = model.entitiesByName["Person"]?.attributesByName["photo"]
            photo?.allowsExternalBinaryDataStorage = true
            return model
        }
        let database = try SharedDatabase()
        let one = try database.machine("one", model: model())
        let two = try database.machine("two", model: model())
        for size in [300_000, 200_000, 10] {
            let photo = Data(repeating: UInt8(size % 251), count: size)
            try one.perform { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                let person =
                    try context.fetch(request).first
                    ?? NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue("Ann", forKey: "name")
                person.setValue(photo, forKey: "photo")
                try context.save()
            }
            try two.catchUp()
            try two.perform { context in
                let person = try context.first("Person", by: "name")
                #expect(person.value(forKey: "photo") as? Data == photo)
            }
            // On the server they are in their column.
            let column = try database.run("SELECT length(\"ZPHOTO\")::int8 FROM $\"ZPERSON\"")
            #expect(column.integer(0, 0) == Int64(size))
        }
    }

    @Test func aReplicaIsTakenUpAgainAndHasWhatCameMeanwhile() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        try database.machine("two").close()
        try one.insert("Tag", ["label": "b"])
        #expect(try database.machine("two").values("Tag", "label") == ["a", "b"])
    }

    @Test func aDamagedReplicaIsCopiedAnew() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        let two = try database.machine("two")
        let replica = try #require(try two.store.replica().url)
        two.close()
        try Data("no database at all".utf8).write(to: replica)
        #expect(try database.machine("two").values("Tag", "label") == ["a"])
    }

    @Test func storesOfOneFolderHaveReplicasOfTheirOwn() throws {
        let database = try SharedDatabase()
        let one = try database.machine("same"), two = try database.machine("same")
        #expect(try one.store.replica().url != two.store.replica().url)
        try one.insert("Tag", ["label": "a"])
        try two.catchUp()
        #expect(try two.values("Tag", "label") == ["a"])
    }

    @Test func machinesThatOpenANewStoreAtOnceShareIt() throws {
        let database = try SharedDatabase()
        let machines = Guarded<[Machine]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            do {
                let machine = try database.machine("\(number)")
                machines.withLock { $0.append(machine) }
            } catch {
                Issue.record(error)
            }
        }
        let made = machines.withLock { $0 }
        #expect(Set(made.map { $0.store.identifier }).count == 1)
        try made.first?.insert("Tag", ["label": "a"])
        for machine in made {
            try machine.catchUp()
            #expect(try machine.values("Tag", "label") == ["a"])
        }
    }

    @Test func objectURIsAreTheSameOnAllMachines() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        let uri = try one.insert("Tag", ["label": "a"])
        let two = try database.machine("two")
        let found = try two.perform { context in
            try context.first("Tag", by: "label").objectID.uriRepresentation()
        }
        #expect(found == uri)
    }

    @Test func predicatesFindObjectsByTheirIDs() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one")
        try one.insert("Tag", ["label": "a"])
        try one.insert("Tag", ["label": "b"])
        try one.perform { context in
            let tag = try context.first("Tag", by: "label")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            request.predicate = NSPredicate(format: "SELF == %@", tag)
            #expect(try context.fetch(request) == [tag])
        }
    }

    @Test func threadsThatTakeKeysAtOnceGetKeysOfTheirOwn() throws {
        let machine = try SharedDatabase().machine("one")
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                try machine.perform { context in
                    for _ in 0..<700 {
                        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                            .setValue("a", forKey: "label")
                    }
                    try context.save()
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try machine.values("Tag", "label").count == 5_600)
    }

    @Test func manyObjectsGetKeysOfTheirOwnOnTwoMachines() throws {
        let database = try SharedDatabase()
        let machines = [try database.machine("one"), try database.machine("two")]
        for machine in machines {
            try machine.perform { context in
                for index in 0..<2_500 {
                    NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                        .setValue("\(index)", forKey: "label")
                }
                try context.save()
            }
        }
        for machine in machines {
            try machine.catchUp()
            #expect(try machine.values("Tag", "label").count == 5_000)
        }
        #expect(try database.run("SELECT count(*) FROM $\"ZTAG\"").integer(0, 0) == 5_000)
    }
}
#endif
