#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// Batch requests of machines that share a store. What they do on one machine, the conformance
/// tests of all stores say.
@Suite(.enabled(if: PostgreSQLServer.isInstalled)) struct BatchTests {
    private static func update(
        _ machine: Machine,
        _ entity: String,
        _ values: [AnyHashable: Any],
        where predicate: NSPredicate? = nil
    ) throws -> Int {
        try machine.perform { context in
            context.transactionAuthor = "update"
            let request = NSBatchUpdateRequest(entityName: entity)
            request.predicate = predicate
            request.propertiesToUpdate = values
            request.resultType = .updatedObjectsCountResultType
            let result = try context.execute(request) as? NSBatchUpdateResult
            return try #require(result?.result as? Int)
        }
    }

    private static func delete(_ machine: Machine, _ entity: String) throws -> Int {
        try machine.perform { context in
            context.transactionAuthor = "delete"
            let request = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
            )
            request.resultType = .resultTypeCount
            let result = try context.execute(request) as? NSBatchDeleteResult
            return try #require(result?.result as? Int)
        }
    }

    private static func insert(
        _ machine: Machine,
        _ entity: String,
        _ objects: [[String: Any]]
    ) throws {
        try machine.perform { context in
            context.transactionAuthor = "insert"
            _ = try context.execute(NSBatchInsertRequest(entityName: entity, objects: objects))
        }
    }

    /// The feed of a machine that rests, so that it hears of others only when it must.
    private static func rest(_ machine: Machine) throws { try machine.store.opened().feed.stop() }

    @Test func batchesArriveOnOtherMachinesWithTheirHistory() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try Self.insert(one, "Tag", [["label": "a"], ["label": "b"], ["label": "c"]])
        let isLate = NSPredicate(format: "label > 'a'")
        #expect(try Self.update(one, "Tag", ["label": "z"], where: isLate) == 2)
        try database.expectSameRows(two)
        #expect(try two.values("Tag", "label") == ["a", "z", "z"])
        #expect(try Self.delete(two, "Tag") == 3)
        let expected = [
            "insert 0 [] 0 [] 0 []", "update 1 [\"label\"] 1 [\"label\"]", "delete 2 [] 2 [] 2 []",
        ]
        for machine in [one, two] {
            try database.expectSameRows(machine)
            #expect(try machine.values("Tag", "label").isEmpty)
            let records = try machine.store.history(after: .unbounded, includesChanges: true)
            let texts = records.map { record in
                ([record.author ?? "-"]
                    + record.changes.map { "\($0.type.rawValue) \($0.properties.sorted())" })
                    .joined(separator: " ")
            }
            #expect(texts == expected)
        }
    }

    @Test func aBatchIsAboutWhatOthersHaveSavedByThen() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try Self.rest(two)
        try one.insert("Tag", ["label": "a"])
        #expect(try Self.update(two, "Tag", ["label": "b"]) == 1)
        try one.insert("Tag", ["label": "c"])
        #expect(try Self.delete(two, "Tag") == 2)
        try database.expectSameRows(one)
        #expect(try one.values("Tag", "label").isEmpty)
    }

    @Test func aBatchThatOthersGetAheadOfIsMadeAgainAndNoIncrementIsLost() throws {
        let database = try SharedDatabase()
        let machines = try (0..<3).map { try database.machine("\($0)") }
        try Self.insert(
            machines[0],
            "Person",
            (0..<5).map { ["name": "\($0)", "age": 0] }
        )
        DispatchQueue.concurrentPerform(iterations: machines.count) { number in
            for _ in 0..<8 {
                do {
                    let increment = NSExpression(format: "age + 1")
                    let count = try Self.update(machines[number], "Person", ["age": increment])
                    #expect(count == 5)
                } catch {
                    Issue.record(error)
                }
            }
        }
        let ages = try database.run("SELECT DISTINCT \"ZAGE\", \"Z_OPT\" FROM $\"ZPERSON\"")
        #expect(ages.rowCount == 1)
        #expect(ages.integer(0, 0) == 24)
        #expect(ages.integer(0, 1) == 25)
        for machine in machines { try database.expectSameRows(machine) }
    }

    @Test func noReferenceOutlivesABatchDeleteWhoeverIsFaster() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        for _ in 0..<10 {
            try one.insert("Department", ["name": "Kitchen"])
            try two.catchUp()
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                do {
                    guard number == 0 else {
                        #expect(try Self.delete(two, "Department") == 1)
                        return
                    }
                    try one.perform { context in
                        let department = try context.first("Department", by: "name")
                        let person = NSEntityDescription.insertNewObject(
                            forEntityName: "Person",
                            into: context
                        )
                        person.setValue("Ann", forKey: "name")
                        person.setValue(department, forKey: "department")
                        do {
                            try context.save()
                        } catch let error as CocoaError {
                            // The department has gone before.
                            #expect(error.code.rawValue != NSPersistentStoreSaveError)
                        }
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        let dangling = try database.run(
            "SELECT count(*) FROM $\"ZPERSON\" WHERE \"ZDEPARTMENT\" IS NOT NULL"
        )
        #expect(dangling.integer(0, 0) == 0)
        for machine in [one, two] { try database.expectSameRows(machine) }
    }

    /// The same for certain: the machine that deletes has not heard of the person when it begins.
    @Test func aReferenceThatWasAddedMeanwhileIsFoundOnTheServer() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try Self.rest(two)
        try one.insert("Department", ["name": "Kitchen"])
        try two.catchUp()
        try one.perform { context in
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue("Ann", forKey: "name")
            let department = try context.first("Department", by: "name")
            person.setValue(department, forKey: "department")
            try context.save()
        }
        let layout = try #require(two.coordinator.modelLayout.entitiesByName["Department"])
        let deleted = try two.store.attempt(two.store.opened()) { save in
            try save.delete(FetchPlan(layout: layout), ChangeOrigin())
        }
        #expect(deleted.count == 1)
        let references = try database.run("SELECT count(\"ZDEPARTMENT\") FROM $\"ZPERSON\"")
        #expect(references.integer(0, 0) == 0)
        for machine in [one, two] { try database.expectSameRows(machine) }
    }

    @Test func relationshipsOfAllKindsGoWithTheirObjects() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        for entity in ["Department", "Tag", "Playlist", "Song", "Employee", "Person"] {
            try one.perform { context in
                context.insertSample()
                try context.save()
            }
            try two.catchUp()
            #expect(try Self.delete(two, entity) > 0)
            try database.expectSameRows(one)
            try database.expectSameRows(two)
        }
    }

    @Test func aSongThatABatchGivesToAnotherListHasNoPlaceInIt() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        let other = try one.insert("Playlist", ["title": "other"])
        try one.perform { context in
            let list = NSEntityDescription.insertNewObject(
                forEntityName: "Playlist",
                into: context
            )
            let songs = (0..<2).map { _ in
                NSEntityDescription.insertNewObject(forEntityName: "Song", into: context)
            }
            list.mutableOrderedSetValue(forKey: "songs").addObjects(from: songs)
            try context.save()
        }
        let id = try #require(one.coordinator.managedObjectID(forURIRepresentation: other))
        #expect(try Self.update(one, "Song", ["playlist": id]) == 2)
        let places = try database.run(
            "SELECT count(*) FROM $\"ZSONG\" WHERE \"Z_FOK_PLAYLIST\" IS NOT NULL"
        )
        #expect(places.integer(0, 0) == 0)
        for machine in [one, two] { try database.expectSameRows(machine) }
    }

    @Test func aBatchDoesNotReferToWhatAnotherMachineHasDeleted() throws {
        let database = try SharedDatabase()
        let one = try database.machine("one"), two = try database.machine("two")
        try Self.rest(two)
        let department = try one.insert("Department", ["name": "Kitchen"])
        try one.insert("Person", ["name": "Ann"])
        try two.catchUp()
        let id = try #require(two.coordinator.managedObjectID(forURIRepresentation: department))
        #expect(try Self.delete(one, "Department") == 1)
        let error = #expect(throws: CocoaError.self) {
            try Self.update(two, "Person", ["department": id])
        }
        #expect(error?.code.rawValue == NSPersistentStoreSaveError)
        for machine in [one, two] { try database.expectSameRows(machine) }
    }

    @Test func aValueThatIsTakenStopsTheWholeBatch() throws {
        func model() -> NSManagedObjectModel {
            let model = SampleModel.make()
            model.entitiesByName["Tag"]?.uniquenessConstraints = [["label"]]
            return model
        }
        let database = try SharedDatabase()
        let one = try database.machine("one", model: model())
        let two = try database.machine("two", model: model())
        try Self.rest(two)
        try Self.insert(one, "Tag", [["label": "a"], ["label": "b"]])
        let error = #expect(throws: CocoaError.self) {
            try Self.insert(two, "Tag", [["label": "c"], ["label": "a"]])
        }
        #expect(error?.code.rawValue == NSManagedObjectConstraintMergeError)
        #expect(throws: CocoaError.self) { try Self.update(two, "Tag", ["label": "d"]) }
        for machine in [one, two] {
            try database.expectSameRows(machine)
            #expect(try machine.values("Tag", "label") == ["a", "b"])
        }
    }
}
#endif
